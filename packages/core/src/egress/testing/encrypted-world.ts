import { type AnyDnsServer, DnsExchangeError, type Exchange, exchange, toDnsName } from '@zoneproof/dns';
import { createEgress, type Egress, type EgressOptions } from '../index.ts';
import { rootPem } from './localhost-certificate.ts';

export const name = toDnsName('example.test');
const open: { close(): Promise<void> }[] = [];

/** Ends what the test began. */
export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((one) => one.close()));
}

export async function started<T extends { close(): Promise<void> }>(server: Promise<T>): Promise<T> {
  open.push(await server);
  return server;
}

export function egressWith(options: EgressOptions = {}): Egress {
  const egress = createEgress({ caBundle: rootPem, ...options });
  open.push(egress);
  return egress;
}

export interface Asking {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly name?: string;
}

export function ask(
  egress: Egress,
  server: AnyDnsServer,
  { timeoutMs = 2500, ...more }: Asking = {},
): Promise<Exchange> {
  const { signal = new AbortController().signal } = more;
  const question = { name: more.name === undefined ? name : toDnsName(more.name), type: 'TXT' } as const;
  return exchange(question, server, { transport: egress.dns, signal, rd: true, tries: 1, timeoutMs });
}

export async function failure(promise: Promise<unknown>): Promise<DnsExchangeError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DnsExchangeError)) throw new Error(`expected a DnsExchangeError, got ${error}`);
  return error;
}

export const dot = (port: number, host = '127.0.0.1') => ({ kind: 'tls', host, port }) as const;
export const doh = (url: string) => ({ kind: 'https', url }) as const;
export const texts = ({ message }: Exchange) => message.answers.map(({ data }) => data);

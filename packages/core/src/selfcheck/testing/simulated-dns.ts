import {
  DnsExchangeError,
  type DnsMessage,
  type DnsName,
  type DnsQuestion,
  type DnsTransport,
  decodeMessage,
  encodeMessage,
  toDnsName,
} from '@zoneproof/dns';
import type { Clock } from '../../contract/index.ts';
import type { Timers } from '../../time/index.ts';
import type { Location } from '../types.ts';
import { type Sections, soa } from './zone-data.ts';

/** What one simulated server answers; `silent` = nothing, ever. */
export type SimulatedAnswer = Partial<DnsMessage> | 'silent';

/** Name servers that exist in simulated time only: no socket, and an answer takes `rttMs` of the clock. */
export interface SimulatedDns {
  readonly transport: DnsTransport;
  /** Questions, by address. */
  readonly asked: Map<string, number>;
  readonly questions: { readonly address: string; readonly name: string; readonly type: string; readonly at: number }[];
}

export function simulateDns(
  clock: Clock & Timers,
  answer: (address: string, question: DnsQuestion, now: number) => SimulatedAnswer,
  { rttMs = 10, keepQuestions = true }: { readonly rttMs?: number; readonly keepQuestions?: boolean } = {},
): SimulatedDns {
  const asked = new Map<string, number>();
  const questions: SimulatedDns['questions'] = [];

  function exchange(address: string, query: Uint8Array, timeoutMs: number, signal: AbortSignal, over: 'udp' | 'tcp') {
    const { id, rd, questions: wanted } = decodeMessage(query);
    const question = wanted[0] as DnsQuestion;
    const { name, type } = question;
    if (over === 'udp') {
      asked.set(address, (asked.get(address) ?? 0) + 1);
      if (keepQuestions) questions.push({ address, name, type, at: clock.now() });
    }
    return new Promise<Uint8Array>((resolve, reject) => {
      const sections = answer(address, question, clock.now());
      const fail = () =>
        reject(new DnsExchangeError('timeout', { address, port: 53 }, over, 'no answer', { sent: true }));
      const handle = clock.setTimeout(
        () => {
          signal.removeEventListener('abort', stop);
          if (sections === 'silent') fail();
          else resolve(encodeMessage({ id, rd, response: true, questions: wanted, ...sections }));
        },
        sections === 'silent' ? timeoutMs : rttMs,
      );
      const stop = () => {
        clock.clearTimeout(handle);
        reject(signal.reason);
      };
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  return {
    asked,
    questions,
    transport: {
      async udp({ address }, query, accept, { timeoutMs, signal }) {
        const wire = await exchange(address, query, timeoutMs, signal, 'udp');
        accept(wire);
        return wire;
      },
      tcp: ({ address }, query, { timeoutMs, signal }) => exchange(address, query, timeoutMs, signal, 'tcp'),
    },
  };
}

const none = { answers: [], authorities: [], additionals: [] } as const;

/** With authority: these values. */
export function valuesAt(name: DnsName, ...values: string[]): Sections {
  const answers = values.map((value) => ({ name, type: 'TXT', ttl: 60, data: [value] }) as const);
  return { ...none, rcode: 'NOERROR', aa: true, answers };
}

/** With authority: nothing, in a zone with this serial. */
export function nothingIn(zone: string, serial = 7): Sections {
  const record = soa(toDnsName(zone));
  const authorities = record.type === 'SOA' ? [{ ...record, data: { ...record.data, serial } }] : [];
  return { ...none, rcode: 'NXDOMAIN', aa: true, authorities };
}

/** `ns1`, `ns2`... of a zone at these addresses, for a value at `name`. */
export function placeOf(name: string, zone: string, addresses: readonly string[]): Location {
  const target = toDnsName(name);
  const servers = addresses.map((address, i) => ({ name: toDnsName(`ns${i + 1}.${zone}`), address }));
  return { name: target, chain: [target], target, zone: toDnsName(zone), servers, unresolved: [] };
}

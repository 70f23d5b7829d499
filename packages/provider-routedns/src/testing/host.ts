import {
  type CallContext,
  createEgress,
  type DnsProvider,
  type Egress,
  EgressError,
  type HttpAnswer,
  type HttpRequest,
  type ProviderHost,
  SecretValue,
} from '@zoneproof/core';
import type { RoutednsConfig } from '../config.ts';
import { routedns } from '../plugin.ts';

/** What a provider is given in tests: secrets, a clock that the test sets, and an egress that the test looks into. */
export interface TestHost {
  readonly provider: DnsProvider;
  readonly call: CallContext;
  /** Method and URL of every request. */
  readonly requests: string[];
  readonly warnings: string[];
  /** Permits taken, by bucket. */
  readonly permits: Record<string, number>;
  clock: { nowMs: number };
}

/** Answers some requests itself; undefined lets a request out. */
export type Answering = (request: HttpRequest) => HttpAnswer | undefined;

export interface TestHostOptions {
  readonly secret?: string;
  readonly answering?: Answering;
  readonly signal?: AbortSignal;
}

const open: Egress[] = [];

export function startProvider(config: RoutednsConfig, options: TestHostOptions = {}): TestHost {
  const { secret = '', answering = () => undefined, signal = AbortSignal.timeout(10_000) } = options;
  const base = createEgress();
  open.push(base);
  const requests: string[] = [];
  const warnings: string[] = [];
  const permits: Record<string, number> = {};
  const clock = { nowMs: Date.now() };
  const wrap = (egress: Egress): Egress => ({
    ...egress,
    async http(request) {
      requests.push(`${request.method} ${request.url}`);
      const answer = answering(request);
      if (answer !== undefined) return answer;
      if (new URL(request.url).hostname === '127.0.0.1') return egress.http(request);
      throw new EgressError('unreachable', `${new URL(request.url).host}: nobody is there`, false);
    },
    withCaBundle: (pem) => wrap(egress.withCaBundle(pem)),
  });
  const egress = wrap(base);
  const host: ProviderHost = {
    providerName: 'routedns "test" (AWS Route 53)',
    egress,
    dns: egress.dns,
    clock: { now: () => clock.nowMs },
    random: (length) => new Uint8Array(length),
    secret: () => ({ get: async () => new SecretValue(Buffer.from(secret)) }),
    warn: (message) => void warnings.push(message),
  };
  const call: CallContext = {
    signal,
    deadlineAt: Date.now() + 10_000,
    async permit(bucket = 'requests', cost = 1) {
      permits[bucket] = (permits[bucket] ?? 0) + cost;
    },
  };
  return { provider: routedns.create(config, host), call, requests, warnings, permits, clock };
}

/** For `afterEach`. */
export async function closeProviders(): Promise<void> {
  await Promise.all(open.splice(0).map((egress) => egress.close()));
}

export function json(body: object, status = 200): HttpAnswer {
  return { status, headers: {}, body: Buffer.from(JSON.stringify(body)) };
}

export function text(body: string, status = 200): HttpAnswer {
  return { status, headers: {}, body: Buffer.from(body) };
}

import type { EndedRequest } from '../kubernetes/api.ts';
import type { Report } from '../reconcile/services.ts';
import type { Kind } from '../resources/types.ts';
import type { Observer } from '../runtime/observer.ts';
import type { OnWrite } from '../store/index.ts';
import type { Instruments } from './instruments.ts';
import { createRequestCounter } from './kubernetes-requests.ts';

/** Hosts that are told apart: whoever may declare Issuers may name any number of them. */
const maxHosts = 20;

/** A line of the log. */
export interface LogLine {
  readonly level: Report['level'];
  readonly reason: string;
  readonly kind?: Kind;
}

export interface MetricsObserver extends Observer {
  /** Of a store of files; those to an API server are known by their requests. */
  readonly storeWrite: OnWrite;
  readonly kubernetesRequest: (request: EndedRequest) => void;
  readonly logLine: (line: LogLine) => void;
}

/** Counts what happens as it happens. */
export function createObserver(instruments: Instruments): MetricsObserver {
  const calls = instruments.histogram('zoneproof_provider_call_duration_seconds');
  const values = instruments.counter('zoneproof_provider_values_total');
  const repeats = instruments.counter('zoneproof_provider_repeats_total');
  const questions = instruments.counter('zoneproof_self_check_questions_total');
  const caRequests = instruments.counter('zoneproof_ca_requests_total');
  const caDuration = instruments.histogram('zoneproof_ca_request_duration_seconds');
  const work = instruments.histogram('zoneproof_reconcile_duration_seconds');
  const lines = instruments.counter('zoneproof_log_lines_total');
  const abandoned = instruments.counter('zoneproof_cleanup_abandoned_total');
  const writes = instruments.counter('zoneproof_store_writes_total');
  const writeDuration = instruments.histogram('zoneproof_store_write_duration_seconds');
  const hosts = new Set<string>();

  function caLabel(host: string): string {
    if (hosts.size < maxHosts) hosts.add(host);
    return hosts.has(host) ? host : 'other';
  }

  const storeWrite: OnWrite = ({ kind, outcome, durationMs }) => {
    writes.inc({ kind, outcome });
    writeDuration.observe(durationMs / 1_000);
  };

  return {
    storeWrite,
    kubernetesRequest: createRequestCounter(instruments, storeWrite),
    providerCall({ provider, operation, outcome, durationMs }) {
      calls.observe({ provider, operation, outcome }, durationMs / 1_000);
    },
    recordWriter(event) {
      const { provider } = event;
      if (event.type === 'repeated') {
        repeats.inc({ provider, why: event.why });
        return;
      }
      for (const [outcome, count] of Object.entries(event.outcomes))
        if (count > 0) values.inc({ provider, outcome }, count);
    },
    dnsQuestion(outcome) {
      questions.inc({ outcome });
    },
    caRequest({ host, status, durationMs }) {
      const ca = caLabel(host);
      caRequests.inc({ ca, code: codeOf(status) });
      caDuration.observe({ ca }, durationMs / 1_000);
    },
    reconciled(kind, durationMs) {
      work.observe({ kind }, durationMs / 1_000);
    },
    logLine({ level, kind = '', reason }) {
      lines.inc({ level, kind, reason });
      if (reason === 'CleanUpAbandoned') abandoned.inc();
    },
  };
}

function codeOf(status: number | undefined): string {
  if (status === undefined) return 'none';
  return status === 429 ? '429' : `${Math.floor(status / 100)}xx`;
}

import type { MetricGroups } from './definition.ts';
import { callSeconds, provider, waitSeconds } from './words.ts';

/** The DNS, the DNS services and the CAs, as they answer. */
export const others = {
  'Self check': {
    zoneproof_self_check_delay_seconds: {
      type: 'histogram',
      help: 'From the write of a value to its proof at all authoritative servers, of each challenge when its Order ends.',
      labels: { provider },
      buckets: waitSeconds,
      series: '15 a provider',
    },
    zoneproof_self_check_questions_total: {
      type: 'counter',
      help: 'DNS questions that zoneproof asked to find zones and to see values.',
      labels: { outcome: '`answered`, or `unanswered`: no usable answer in time' },
      series: '2',
    },
  },
  Providers: {
    zoneproof_provider_call_duration_seconds: {
      type: 'histogram',
      help: "Calls into a provider, from the call to its end; the wait for the account's limit is part of it.",
      labels: {
        provider,
        operation: '`apply`, `listZones`, `findZone` or `syncState`',
        outcome: '`ok`, or the kind of the error: `auth`, `permission`, `rate-limited`, `unavailable`, ...',
      },
      buckets: callSeconds,
      series: '14 a provider, operation and outcome that occurred',
    },
    zoneproof_provider_values_total: {
      type: 'counter',
      help: 'TXT values that providers were asked to write or to remove.',
      labels: { provider, outcome: '`changed`, `unchanged`, `failed`, or `unknown`: sent, no answer' },
      series: '4 a provider',
    },
    zoneproof_provider_repeats_total: {
      type: 'counter',
      help: 'Batches of values that were sent once more.',
      labels: {
        provider,
        why: '`conflict`: somebody else wrote in between; `unknown`: no answer; `bisection`: to find what is refused',
      },
      series: '3 a provider',
    },
    zoneproof_provider_accounts: {
      type: 'gauge',
      help: 'Accounts in use by how their limit stands.',
      labels: {
        provider,
        state: '`open`, `slowed`: below its declared rate, or `paused`: the service asked to wait',
      },
      series: '3 a provider',
    },
    zoneproof_provider_waiting_requests: {
      type: 'gauge',
      help: "Requests that wait for their account's limit.",
      labels: { provider },
      series: 'one a provider',
    },
    zoneproof_provider_pause_seconds: {
      type: 'gauge',
      help: 'The longest pause that a service still asks for; 0 when none does.',
      labels: { provider },
      series: 'one a provider',
    },
  },
  CA: {
    zoneproof_ca_requests_total: {
      type: 'counter',
      help: 'HTTP requests to ACME servers.',
      labels: {
        ca: 'host of the server; `other` beyond 20 hosts',
        code: '`2xx`, `3xx`, `4xx`, `429`, `5xx`, or `none`: no answer',
      },
      series: '6 a host',
    },
    zoneproof_ca_request_duration_seconds: {
      type: 'histogram',
      help: 'HTTP requests to ACME servers, from the request to the end of the answer.',
      labels: { ca: 'as above' },
      buckets: callSeconds,
      series: '14 a host',
    },
  },
} as const satisfies MetricGroups;

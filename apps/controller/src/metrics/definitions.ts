/** One metric: what it is called is the key in {@link metricDefinitions}. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One sentence; the HELP line. */
  readonly help: string;
  /** Each label, and what its values are. */
  readonly labels: Readonly<Record<string, string>>;
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
  /** Absent: both homes. */
  readonly home?: 'standalone' | 'Kubernetes';
  /** How many time series there are at most. */
  readonly series: string;
}

const certificate = {
  namespace: 'of the Certificate',
  name: 'of the Certificate',
  issuer_kind: '`Issuer` or `ClusterIssuer`',
  issuer_name: 'the Issuer that it names',
} as const;
const issuer = {
  namespace: "of the Issuer; '' for a ClusterIssuer",
  issuer_kind: '`Issuer` or `ClusterIssuer`',
  issuer_name: 'its name',
} as const;
const provider = "the provider block's key, such as `rfc2136`";
const reason = 'a word out of [Reasons](conditions.md)';
const kind = '`Issuer`, `ClusterIssuer`, `Certificate`, `Order` or `Secret`';
const one = 'one';
const perCertificate = 'one a Certificate';

const callSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
const waitSeconds = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800] as const;
const workSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120] as const;

/** Every metric, by the heading that docs/metrics.md shows it under. */
export const metricGroups = {
  'Certificates and Issuers': {
    zoneproof_certificate_expiration_timestamp_seconds: {
      type: 'gauge',
      help: 'When the stored certificate expires; absent while there is none.',
      labels: certificate,
      series: perCertificate,
    },
    zoneproof_certificate_renewal_timestamp_seconds: {
      type: 'gauge',
      help: 'When the stored certificate is due for renewal; absent while there is none.',
      labels: certificate,
      series: perCertificate,
    },
    zoneproof_certificate_ready: {
      type: 'gauge',
      help: '1 when condition Ready of the Certificate is True, else 0.',
      labels: certificate,
      series: perCertificate,
    },
    zoneproof_certificates: {
      type: 'gauge',
      help: 'Certificates by condition Ready and its reason.',
      labels: { ready: '`true` or `false`', reason },
      series: 'two a reason',
    },
    zoneproof_issuer_ready: {
      type: 'gauge',
      help: '1 when condition Ready of the Issuer is True, else 0.',
      labels: issuer,
      series: 'one an Issuer',
    },
    zoneproof_issuer_provider_ready: {
      type: 'gauge',
      help: '1 when the last check of this provider of the Issuer found nothing wrong, else 0.',
      labels: { ...issuer, provider, provider_name: "the provider's name in the Issuer" },
      series: 'one a provider of an Issuer',
    },
  },
  'Orders and challenges': {
    zoneproof_orders: {
      type: 'gauge',
      help: 'Orders that are stored, by state.',
      labels: { state: '`running`, `valid`, `failed`, or `deleting`: held until its values are out of the zones' },
      series: '4',
    },
    zoneproof_orders_waiting: {
      type: 'gauge',
      help: 'Running Orders that wait for something, by the reason.',
      labels: { reason },
      series: 'one a reason',
    },
    zoneproof_orders_completed_total: {
      type: 'counter',
      help: 'Orders that ended since the start of the process.',
      labels: { result: '`valid` or `failed`', reason },
      series: 'one a reason',
    },
    zoneproof_order_duration_seconds: {
      type: 'histogram',
      help: 'From the creation of an Order to its end.',
      labels: { result: '`valid` or `failed`' },
      buckets: waitSeconds,
      series: '30',
    },
    zoneproof_challenges: {
      type: 'gauge',
      help: 'Challenges of running Orders by the step that they have reached.',
      labels: { step: '`new`, `presented`, `visible`, `responded`, `validated` or `failed`' },
      series: '6',
    },
  },
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
  'Ledger and clean-up': {
    zoneproof_ledger_entries: {
      type: 'gauge',
      help: 'TXT values of ours that are, or may be, in a zone.',
      labels: {},
      series: one,
    },
    zoneproof_ledger_oldest_entry_age_seconds: {
      type: 'gauge',
      help: 'How long the oldest of them is there; 0 when there is none.',
      labels: {},
      series: one,
    },
    zoneproof_cleanup_blocked_orders: {
      type: 'gauge',
      help: 'Orders that are over and have values that cannot be removed now.',
      labels: {},
      series: one,
    },
    zoneproof_cleanup_abandoned_total: {
      type: 'counter',
      help: 'Times that values were left behind for want of any way to remove them; the log names them.',
      labels: {},
      series: one,
    },
  },
  'Work queue': {
    zoneproof_queue_depth: {
      type: 'gauge',
      help: 'Objects that want work.',
      labels: { state: '`ready`: no worker is free yet, or `running`' },
      series: '2',
    },
    zoneproof_queue_longest_running_seconds: {
      type: 'gauge',
      help: 'How long the slowest piece of work under way takes by now.',
      labels: {},
      series: one,
    },
    zoneproof_reconcile_duration_seconds: {
      type: 'histogram',
      help: 'One piece of work on one object.',
      labels: { kind },
      buckets: workSeconds,
      series: '12 a kind',
    },
  },
  Store: {
    zoneproof_objects: {
      type: 'gauge',
      help: 'Objects in the cache.',
      labels: { kind: '`Issuer`, `ClusterIssuer`, `Certificate` or `Order`' },
      series: '4',
    },
    zoneproof_store_writes_total: {
      type: 'counter',
      help: 'Writes to the state directory or the API server.',
      labels: {
        kind,
        outcome: '`written`, `conflict`: somebody else wrote in between, done again, or `failed`',
      },
      series: '15',
    },
    zoneproof_store_write_duration_seconds: {
      type: 'histogram',
      help: 'One such write.',
      labels: {},
      buckets: callSeconds,
      series: '14',
    },
    zoneproof_kubernetes_requests_total: {
      type: 'counter',
      help: 'Requests to the API server but for watches, each try counted.',
      labels: {
        method: '`GET`, `POST`, `PUT`, `PATCH` or `DELETE`',
        resource: '`certificates`, `secrets`, `leases`, ...',
        code: 'HTTP status, or `none`: no answer',
      },
      home: 'Kubernetes',
      series: 'one a method, resource and status that occurred',
    },
    zoneproof_kubernetes_request_duration_seconds: {
      type: 'histogram',
      help: 'One such request.',
      labels: { method: 'as above' },
      buckets: callSeconds,
      home: 'Kubernetes',
      series: '14 a method',
    },
  },
  Process: {
    zoneproof_build_info: {
      type: 'gauge',
      help: 'Always 1.',
      labels: { version: 'of zoneproof', node: 'version of Node.js' },
      series: one,
    },
    zoneproof_leader: {
      type: 'gauge',
      help: '1 while this process does the work; 0 while it stands by.',
      labels: {},
      series: one,
    },
    zoneproof_manifests_last_reload_successful: {
      type: 'gauge',
      help: '1 when the manifests as they are now are in use, 0 when the last good ones are.',
      labels: {},
      home: 'standalone',
      series: one,
    },
    zoneproof_log_lines_total: {
      type: 'counter',
      help: 'Lines of the log.',
      labels: {
        level: '`info`, `warn` or `error`',
        kind: "of the object; '' for the process",
        reason: `${reason}, or one about the process`,
      },
      series: 'one a level, kind and reason that occurred',
    },
    process_cpu_seconds_total: {
      type: 'counter',
      help: 'CPU time of the process, user and system.',
      labels: {},
      series: one,
    },
    process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory.', labels: {}, series: one },
    process_start_time_seconds: { type: 'gauge', help: 'When the process started.', labels: {}, series: one },
    process_open_fds: { type: 'gauge', help: 'Open files and sockets; Linux only.', labels: {}, series: one },
    nodejs_heap_size_used_bytes: {
      type: 'gauge',
      help: 'Memory of live and dead JavaScript objects.',
      labels: {},
      series: one,
    },
    nodejs_eventloop_active_seconds_total: {
      type: 'counter',
      help: 'Time that the event loop was busy: its rate is the share of one core.',
      labels: {},
      series: one,
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, MetricDefinition>>>>;

type Groups = typeof metricGroups;
type Union<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer All) => void ? All : never;
/** Every metric by name. */
export type MetricDefinitions = Union<Groups[keyof Groups]>;
export type MetricName = keyof MetricDefinitions;
export type MetricNameOf<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: MetricDefinitions[Name]['type'] extends Type ? Name : never;
}[MetricName];
export type LabelOf<Name extends MetricName> = keyof MetricDefinitions[Name]['labels'] & string;

export const metricDefinitions: Readonly<Record<MetricName, MetricDefinition>> = Object.assign(
  {},
  ...Object.values(metricGroups),
);

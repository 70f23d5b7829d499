import type { MetricGroups } from './definition.ts';
import { callSeconds, one, reason } from './words.ts';

const kind = '`Issuer`, `ClusterIssuer`, `Certificate`, `Order` or `Secret`';
const workSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120] as const;

/** How the process itself gets on. */
export const ownProcess = {
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
} as const satisfies MetricGroups;

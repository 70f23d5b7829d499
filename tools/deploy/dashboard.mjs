/**
 * The Grafana dashboard: its rows of panels from left to right. `unit` is one of Grafana's; a query's second part names its
 * series.
 */
const rows = [
  [
    stat('Certificates', 'sum(max without (instance, pod) (zoneproof_certificates))', 'short'),
    stat(
      'Not Ready',
      'sum(max without (instance, pod) (zoneproof_certificates{ready="false"})) or vector(0)',
      'short',
      1,
    ),
    stat('Next expiry', 'min(zoneproof_certificate_expiration_timestamp_seconds) - time()', 's'),
    stat('Orders under way', 'max(zoneproof_orders{state="running"})', 'short'),
    stat('Values in zones', 'max(zoneproof_ledger_entries)', 'short'),
    stat('Leaders', 'sum(zoneproof_leader)', 'short'),
  ],
  [
    graph('Certificates that are not Ready, by reason', 'short', [
      ['sum by (reason) (max without (instance, pod) (zoneproof_certificates{ready="false"}))', '{{reason}}'],
    ]),
    table('Overdue for renewal', [
      [
        'sort_desc(time() - max by (namespace, name, issuer_name) (zoneproof_certificate_renewal_timestamp_seconds) > 0)',
        's',
      ],
    ]),
  ],
  [
    graph('Orders that ended, an hour', 'short', [
      ['sum by (result, reason) (increase(zoneproof_orders_completed_total[1h]))', '{{result}} {{reason}}'],
    ]),
    graph('Duration of Orders', 's', [
      [quantile(0.5, 'zoneproof_order_duration_seconds', 'le'), 'half of them'],
      [quantile(0.95, 'zoneproof_order_duration_seconds', 'le'), '95 %'],
    ]),
    graph('Running Orders, by what they wait for', 'short', [
      ['sum by (reason) (max without (instance, pod) (zoneproof_orders_waiting))', '{{reason}}'],
    ]),
  ],
  [
    graph('From write to proof (95 %)', 's', [
      [quantile(0.95, 'zoneproof_self_check_delay_seconds', 'le, provider'), '{{provider}}'],
    ]),
    graph('DNS questions of the self check, a second', 'reqps', [
      ['sum by (outcome) (rate(zoneproof_self_check_questions_total[5m]))', '{{outcome}}'],
    ]),
    graph('Challenges, by step', 'short', [
      ['sum by (step) (max without (instance, pod) (zoneproof_challenges))', '{{step}}'],
    ]),
  ],
  [
    graph('Provider calls, a second', 'reqps', [
      [
        'sum by (provider, operation, outcome) (rate(zoneproof_provider_call_duration_seconds_count[5m]))',
        '{{provider}} {{operation}} {{outcome}}',
      ],
    ]),
    graph('Duration of provider calls (95 %)', 's', [
      [quantile(0.95, 'zoneproof_provider_call_duration_seconds', 'le, provider'), '{{provider}}'],
    ]),
    graph("Waiting for an account's limit", 'short', [
      ['sum by (provider) (max without (instance, pod) (zoneproof_provider_waiting_requests))', '{{provider}}'],
    ]),
  ],
  [
    graph('Requests to the CA, a second', 'reqps', [
      ['sum by (ca, code) (rate(zoneproof_ca_requests_total[5m]))', '{{ca}} {{code}}'],
    ]),
    graph('Age of the oldest value of ours', 's', [['max(zoneproof_ledger_oldest_entry_age_seconds)', 'age']]),
    graph('Work queue', 'short', [
      ['sum by (state) (max without (instance, pod) (zoneproof_queue_depth))', '{{state}}'],
    ]),
  ],
  [
    graph('Writes to the store, a second', 'wps', [
      ['sum by (kind, outcome) (rate(zoneproof_store_writes_total[5m]))', '{{kind}} {{outcome}}'],
    ]),
    graph('CPU, cores', 'short', [['rate(process_cpu_seconds_total{job=~"$job"}[5m])', '{{instance}}']]),
    graph('Resident memory', 'bytes', [['process_resident_memory_bytes{job=~"$job"}', '{{instance}}']]),
  ],
];

/** The text of deploy/chart/files/dashboard.json. */
export function dashboardFile() {
  let y = 0;
  const panels = rows.flatMap((row) => {
    const h = Math.max(...row.map((one) => one.height));
    const w = 24 / row.length;
    const placed = row.map(({ height: _height, ...panel }, index) => ({
      ...panel,
      gridPos: { x: index * w, y, w, h },
      datasource,
    }));
    y += h;
    return placed;
  });
  const dashboard = {
    uid: 'zoneproof',
    title: 'zoneproof',
    tags: ['zoneproof'],
    schemaVersion: 39,
    editable: true,
    refresh: '1m',
    time: { from: 'now-24h', to: 'now' },
    templating: { list: variables },
    panels: panels.map((panel, index) => ({ id: index + 1, ...panel })),
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

const datasource = { type: 'prometheus', uid: '$datasource' };
const variables = [
  { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
  {
    name: 'job',
    type: 'query',
    label: 'Job',
    datasource,
    query: 'label_values(zoneproof_build_info, job)',
    refresh: 2,
    includeAll: true,
    multi: true,
  },
];

function stat(title, expr, unit, redFrom) {
  const steps = [{ color: 'green', value: null }, ...(redFrom === undefined ? [] : [{ color: 'red', value: redFrom }])];
  return {
    type: 'stat',
    title,
    height: 4,
    targets: [{ refId: 'A', expr, instant: true }],
    fieldConfig: { defaults: { unit, thresholds: { mode: 'absolute', steps } }, overrides: [] },
    options: { reduceOptions: { calcs: ['lastNotNull'] }, graphMode: 'none' },
  };
}

function graph(title, unit, queries) {
  return {
    type: 'timeseries',
    title,
    height: 8,
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode(65 + index),
      expr,
      legendFormat,
    })),
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
  };
}

function table(title, [[expr, unit]]) {
  return {
    type: 'table',
    title,
    height: 8,
    targets: [{ refId: 'A', expr, instant: true, format: 'table' }],
    fieldConfig: { defaults: { unit }, overrides: [] },
    transformations: [{ id: 'organize', options: { excludeByName: { Time: true } } }],
  };
}

function quantile(share, histogram, by) {
  return `histogram_quantile(${share}, sum by (${by}) (rate(${histogram}_bucket[30m])))`;
}

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeReal, tool } from '@zoneproof/farm';
import { parse, stringify } from 'yaml';
import { metricDefinitions } from '../../apps/controller/src/metrics/definitions.ts';
import { root } from '../check/step.mjs';

const run = promisify(execFile);
const files = join(root, 'deploy/chart/files');
const { groups } = parse(readFileSync(join(files, 'alerts.yaml'), 'utf8'));
const alerts = groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(readFileSync(join(files, 'dashboard.json'), 'utf8'));
const expressions = [
  ...alerts.map(({ alert, expr }) => [alert, expr]),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr])),
];

test.each(expressions)('%s asks for metrics and labels that there are', (_title, expr) => {
  const metrics = [...expr.matchAll(/\b(?:zoneproof|process|nodejs)_\w+/g)].map(([name]) => definitionOf(name));
  expect(metrics.length).toBeGreaterThan(0);
  const labels = new Set(['instance', 'pod', 'job', 'le', ...metrics.flatMap((one) => Object.keys(one.labels))]);
  const lists = [...expr.matchAll(/(?:by|without) \(([^)]*)\)/g)].flatMap(([, list]) => list.split(', '));
  const matchers = [...expr.matchAll(/[{,]\s*(\w+)(?:=|!=|=~)"/g)].map(([, label]) => label);
  expect([...lists, ...matchers].filter((label) => !labels.has(label))).toEqual([]);
});

test.each(alerts.map((one) => [one.alert, one]))('%s tells a person something', (_name, { annotations, labels }) => {
  expect(annotations.summary).toMatch(/\S/);
  expect(annotations.description).toMatch(/\.$/);
  expect(['warning', 'critical']).toContain(labels.severity);
});

describeReal(['promtool'], 'promtool', () => {
  let place;
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'zoneproof-alerts-'));
  });
  afterEach(() => rmSync(place, { recursive: true, force: true }));

  test('takes the alerts, and every expression of the dashboard', async () => {
    await run(tool('promtool'), ['check', 'rules', join(files, 'alerts.yaml')]);
    const rules = expressions.map(([, expr], index) => ({ record: `panel:${index}`, expr }));
    const file = join(place, 'panels.yaml');
    writeFileSync(file, stringify({ groups: [{ name: 'panels', rules }] }));
    await run(tool('promtool'), ['check', 'rules', file]);
  }, 60_000);

  test('each alert is raised by what it is for, and none where all is well', async () => {
    const tests = Object.entries(cases).map(([name, { series = {}, raised }]) => ({
      name,
      interval: '1m',
      input_series: Object.entries({ ...allIsWell, ...series })
        .filter(([, values]) => values !== undefined)
        .map(([one, values]) => ({ series: one, values })),
      promql_expr_test: [
        {
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: '2h',
          exp_samples: raised.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
        },
      ],
    }));
    expect(new Set(Object.values(cases).flatMap(({ raised }) => raised))).toEqual(
      new Set(alerts.map(({ alert }) => alert)),
    );
    const file = join(place, 'cases.yaml');
    writeFileSync(file, stringify({ rule_files: [join(files, 'alerts.yaml')], evaluation_interval: '1m', tests }));
    await run(tool('promtool'), ['test', 'rules', file]);
  }, 60_000);
});

const shop = '{namespace="default",name="shop",issuer_kind="Issuer",issuer_name="ca"}';
const issuer = '{namespace="default",issuer_kind="Issuer",issuer_name="ca"}';
const provider =
  '{namespace="default",issuer_kind="Issuer",issuer_name="ca",provider="rfc2136",provider_name="primary"}';
const renewal = `zoneproof_certificate_renewal_timestamp_seconds${shop}`;
const expiry = `zoneproof_certificate_expiration_timestamp_seconds${shop}`;
const leader = (pod) => `zoneproof_leader{job="zoneproof",pod="${pod}"}`;
const failed = 'zoneproof_orders_completed_total{result="failed",reason="ValidationFailed"}';

/** Two hours of a healthy installation; they begin at 1970-01-01T00:00:00Z. */
const allIsWell = {
  [renewal]: '5184000x120',
  [expiry]: '7776000x120',
  [`zoneproof_certificate_ready${shop}`]: '1x120',
  [`zoneproof_issuer_ready${issuer}`]: '1x120',
  [`zoneproof_issuer_provider_ready${provider}`]: '1x120',
  [failed]: '0x120',
  'zoneproof_orders_completed_total{result="valid",reason="Issued"}': '0+1x120',
  'zoneproof_ca_requests_total{ca="ca.example",code="2xx"}': '0+20x120',
  'zoneproof_ca_requests_total{ca="ca.example",code="429"}': '0x120',
  zoneproof_cleanup_blocked_orders: '0x120',
  zoneproof_cleanup_abandoned_total: '0x120',
  zoneproof_queue_longest_running_seconds: '3x120',
  'zoneproof_store_writes_total{kind="Order",outcome="written"}': '0+9x120',
  'zoneproof_store_writes_total{kind="Order",outcome="failed"}': '0x120',
  [leader('a')]: '1x120',
  [leader('b')]: '0x120',
  'zoneproof_build_info{job="zoneproof"}': '1x120',
};
const cases = {
  'all is well': { raised: [] },
  'a third of the spare time is gone': {
    series: { [renewal]: '0x120', [expiry]: '21600x120' },
    raised: ['ZoneproofRenewalOverdue'],
  },
  'two thirds of it are gone': {
    series: { [renewal]: '0x120', [expiry]: '10800x120' },
    raised: ['ZoneproofCertificateExpiresSoon', 'ZoneproofRenewalOverdue'],
  },
  'not Ready for long': {
    series: { [`zoneproof_certificate_ready${shop}`]: '0x120' },
    raised: ['ZoneproofCertificateNotReady'],
  },
  'not Ready for a moment': { series: { [`zoneproof_certificate_ready${shop}`]: '1x90 0x30' }, raised: [] },
  'Issuer not Ready': { series: { [`zoneproof_issuer_ready${issuer}`]: '0x120' }, raised: ['ZoneproofIssuerNotReady'] },
  'provider refuses': {
    series: { [`zoneproof_issuer_provider_ready${provider}`]: '0x120' },
    raised: ['ZoneproofProviderNotReady'],
  },
  'Orders fail': { series: { [failed]: '0x60 1+1x59' }, raised: ['ZoneproofOrdersFail'] },
  'the CA limits': {
    series: { 'zoneproof_ca_requests_total{ca="ca.example",code="429"}': '0x60 1+1x59' },
    raised: ['ZoneproofCARateLimits'],
  },
  'clean-up blocked': { series: { zoneproof_cleanup_blocked_orders: '1x120' }, raised: ['ZoneproofCleanupBlocked'] },
  'values abandoned': {
    series: { zoneproof_cleanup_abandoned_total: '0x60 1x60' },
    raised: ['ZoneproofValuesAbandoned'],
  },
  'nobody leads': { series: { [leader('a')]: '1x60 0x60' }, raised: ['ZoneproofNoLeader'] },
  'not scraped': { series: { 'zoneproof_build_info{job="zoneproof"}': undefined }, raised: ['ZoneproofAbsent'] },
  'work hangs': { series: { zoneproof_queue_longest_running_seconds: '0+60x120' }, raised: ['ZoneproofWorkHangs'] },
  'writes refused': {
    series: { 'zoneproof_store_writes_total{kind="Order",outcome="failed"}': '0x30 1+1x89' },
    raised: ['ZoneproofStoreWritesFail'],
  },
};

function definitionOf(name) {
  const found = metricDefinitions[name] ?? metricDefinitions[name.replace(/_(?:bucket|sum|count)$/, '')];
  if (found === undefined) throw new Error(`no metric is called ${name}`);
  return found;
}

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeReal, tool } from '@zoneproof/farm';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import { main } from '../cli/main.ts';
import { collector, inDirectory, plugins, until } from '../cli/testing/run-main.ts';
import { metricDefinitions } from './definitions.ts';
import { readExposition } from './testing/exposition.ts';

const root = new URL('../../../../', import.meta.url);

/** What one process tells after it has issued both certificates of the sandbox, and how it ended. */
let scraped = '';
let health: readonly (readonly [string, number, string])[];

beforeAll(async () => {
  const sandbox = await startSandbox();
  try {
    await inDirectory((directory) => issueAndScrape(directory, sandbox));
  } finally {
    await sandbox.close();
  }
}, 20_000);

async function issueAndScrape(directory: string, sandbox: Sandbox): Promise<void> {
  for (const [name, text] of Object.entries(sandbox.manifests())) writeFileSync(join(directory, name), text);
  const out = collector();
  const stop = new AbortController();
  const nameservers = sandbox.resolvers.map(({ address, port }) => `${address}:${port}`).join(',');
  const options = ['--state', join(directory, 'state'), '--metrics-listen', '127.0.0.1:0'];
  const running = main(['run', directory, ...options, '--dns01-self-check-nameservers', nameservers], {
    stdout: out,
    stderr: out,
    env: {},
    plugins,
    transport: sandbox.transport,
    signal: stop.signal,
  });
  const get = async (path: string) => {
    const [, address] = / Listening: \/healthz, \/readyz and \/metrics are served at (\S+)\.\n/.exec(out.text()) ?? [];
    const answer = await fetch(`http://${address}${path}`);
    return [path, answer.status, await answer.text()] as const;
  };
  try {
    await until('both certificates', () => out.text().match(/ Issued: /g)?.length === 2, 15_000);
    health = await Promise.all(['/healthz', '/readyz', '/', '/metrics/../etc/passwd'].map(get));
    // Values are removed beside everything else, and one answer is kept for a second.
    for (let tries = 0; tries < 100 && readExposition(scraped).value('zoneproof_ledger_entries') !== 0; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      [, , scraped] = await get('/metrics');
    }
  } finally {
    stop.abort();
    expect(await running).toBe(0);
  }
  await expect(get('/metrics')).rejects.toThrow();
}

test('health is told, and nothing is served beside it', () => {
  expect(health).toEqual([
    ['/healthz', 200, 'ok\n'],
    ['/readyz', 200, 'ok\n'],
    ['/', 404, '/healthz, /readyz, /metrics\n'],
    ['/metrics/../etc/passwd', 404, '/healthz, /readyz, /metrics\n'],
  ]);
});

test('an issuance shows in the numbers', () => {
  const { value, samples } = readExposition(scraped);
  const app = { namespace: 'default', name: 'app', issuer_kind: 'Issuer', issuer_name: 'sandbox' };
  const now = Date.now() / 1_000;
  expect(value('zoneproof_certificate_ready', app)).toBe(1);
  expect(value('zoneproof_certificate_expiration_timestamp_seconds', app)).toBeGreaterThan(now + 86_400);
  expect(value('zoneproof_certificate_renewal_timestamp_seconds', app)).toBeGreaterThan(now);
  expect(value('zoneproof_certificates', { ready: 'true', reason: 'Issued' })).toBe(2);
  expect(value('zoneproof_issuer_ready')).toBe(1);
  expect(value('zoneproof_issuer_provider_ready', { provider: 'rfc2136' })).toBe(1);
  expect(value('zoneproof_issuer_provider_ready', { provider: 'acmedns' })).toBe(1);
  expect(value('zoneproof_orders', { state: 'valid' })).toBe(2);
  expect(value('zoneproof_orders', { state: 'running' })).toBe(0);
  expect(value('zoneproof_orders_completed_total', { result: 'valid', reason: 'Issued' })).toBe(2);
  expect(value('zoneproof_order_duration_seconds_count', { result: 'valid' })).toBe(2);
  expect(value('zoneproof_challenges', { step: 'presented' })).toBe(0);
  expect(value('zoneproof_self_check_delay_seconds_count', { provider: 'rfc2136' })).toBe(2);
  expect(value('zoneproof_self_check_delay_seconds_count', { provider: 'acmedns' })).toBe(1);
  expect(value('zoneproof_self_check_delay_seconds_sum', { provider: 'acmedns' })).toBeGreaterThan(0);
  expect(value('zoneproof_self_check_questions_total', { outcome: 'answered' })).toBeGreaterThan(5);
  const apply = { operation: 'apply', outcome: 'ok' };
  expect(value('zoneproof_provider_call_duration_seconds_count', { provider: 'acmedns', ...apply })).toBe(1);
  expect(value('zoneproof_provider_call_duration_seconds_count', { provider: 'rfc2136', ...apply })).toBeGreaterThan(1);
  // Two values written and removed, and the one that cannot be removed.
  expect(value('zoneproof_provider_values_total', { provider: 'rfc2136', outcome: 'changed' })).toBe(4);
  expect(value('zoneproof_provider_values_total', { provider: 'acmedns', outcome: 'changed' })).toBe(1);
  expect(value('zoneproof_provider_accounts', { provider: 'rfc2136', state: 'open' })).toBe(1);
  expect(value('zoneproof_provider_pause_seconds', { provider: 'rfc2136' })).toBe(0);
  const answered = samples.filter(
    ({ name, labels }) => name === 'zoneproof_ca_requests_total' && labels.code === '2xx',
  );
  expect(answered).toMatchObject([{ labels: { ca: expect.stringMatching(/^127\.0\.0\.1:\d+$/) } }]);
  expect(answered[0]?.value).toBeGreaterThan(10);
  expect(value('zoneproof_ledger_entries')).toBe(0);
  expect(value('zoneproof_ledger_oldest_entry_age_seconds')).toBe(0);
  expect(value('zoneproof_cleanup_abandoned_total')).toBe(0);
  expect(value('zoneproof_queue_depth', { state: 'ready' })).toBe(0);
  expect(value('zoneproof_reconcile_duration_seconds_count', { kind: 'Order' })).toBeGreaterThan(2);
  expect(value('zoneproof_objects', { kind: 'Certificate' })).toBe(2);
  expect(value('zoneproof_store_writes_total', { kind: 'Secret', outcome: 'written' })).toBeGreaterThan(4);
  expect(value('zoneproof_store_writes_total', { kind: 'Order', outcome: 'failed' })).toBeUndefined();
  expect(value('zoneproof_log_lines_total', { kind: 'Certificate', level: 'info', reason: 'Issued' })).toBe(2);
  expect(value('zoneproof_log_lines_total', { kind: '', reason: 'Started' })).toBe(1);
  expect(value('zoneproof_leader')).toBe(1);
  expect(value('zoneproof_manifests_last_reload_successful')).toBe(1);
  expect(value('zoneproof_build_info', { node: process.versions.node })).toBe(1);
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(10e6);
  expect(value('process_start_time_seconds')).toBeLessThan(now);
  expect(scraped).not.toMatch(/PRIVATE KEY|secret:/i);
});

test('what is served is what is documented, in names, types and labels, and the other way round', () => {
  const { types, samples } = readExposition(scraped);
  const documented = Object.entries(metricDefinitions).sort();
  const here = documented.filter(([, { home }]) => home !== 'Kubernetes').map(([name, { type }]) => [name, type]);
  expect([...types].sort()).toEqual(here);
  for (const { name, labels } of samples) {
    const base = name in metricDefinitions ? name : name.replace(/_(bucket|sum|count)$/, '');
    const known = Object.keys(metricDefinitions[base as keyof typeof metricDefinitions].labels);
    const { le: _ofHistogram, ...own } = labels;
    expect([name, Object.keys(own).sort()]).toEqual([name, [...known].sort()]);
  }
  const page = readFileSync(new URL('docs/metrics.md', root), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` (\w+) \|/gm)].map(([, name, type]) => [name, type]);
  expect(rows.sort()).toEqual(documented.map(([name, { type }]) => [name, type]));
});

describeReal(['promtool'], 'Prometheus', () => {
  test('finds nothing wrong with names, types and help texts', () => {
    const { status, stdout, stderr } = spawnSync(tool('promtool'), ['check', 'metrics'], {
      input: scraped,
      encoding: 'utf8',
      timeout: 10_000,
    });
    expect(stdout + stderr).toBe('');
    expect(status).toBe(0);
  });
});

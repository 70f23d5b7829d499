import { tmpdir } from 'node:os';
import { runJobs } from './jobs.ts';
import { median, type Row } from './measure.ts';
import { table } from './table.ts';

test('a job is measured: its time, its CPU with that of its children, its memory, and whether it succeeded', async () => {
  const busy = 'const until = Date.now() + 200; while (Date.now() < until) Math.sqrt(2);';
  const job = (script: string) => ({
    command: 'sh',
    args: ['-c', script, process.execPath],
    cwd: tmpdir(),
    env: {},
  });
  const done = await runJobs([job(`"$0" -e '${busy}'; true`), job('exit 3')], 2);
  const [busyJob, failedJob] = [...done.results].sort((a, b) => b.wallMs - a.wallMs);
  expect(busyJob).toMatchObject({ ok: true });
  // A busy machine gives it less than the 200 ms it is busy for, and Node's own start comes on top.
  expect(busyJob?.cpuMs).toBeGreaterThan(20);
  expect(busyJob?.wallMs).toBeGreaterThanOrEqual(200);
  expect(done.peakRssMiB).toBeGreaterThan(10);
  expect(failedJob).toMatchObject({ ok: false });
});

test('no more jobs run at once than asked for', async () => {
  const job = { command: 'sleep', args: ['0.1'], cwd: tmpdir(), env: {} };
  expect((await runJobs([job, job, job], 1)).wallMs).toBeGreaterThanOrEqual(300);
});

test('runs of one case become one line of medians with their failures added', () => {
  const text = table([
    row({ wallMs: 1000 }),
    row({ wallMs: 9000, failures: 1, firstFailure: 'it broke' }),
    row({ wallMs: 2000 }),
  ]);
  expect(text.split('\n')[1]).toMatch(/^100 certificates +lego +1 +2\.00 .* 1 of 3$/);
  expect(text).toContain('lego, 100 certificates: it broke');
});

test.each([
  [[3, 1, 2], 2],
  [[4, 1, 2, 3], 2.5],
])('the median of %j is %d', (values, expected) => expect(median(values)).toBe(expected));

function row(different: Partial<Row>): Row {
  return {
    case: '100 certificates',
    client: 'lego',
    parallel: 1,
    certificates: 1,
    failures: 0,
    wallMs: 0,
    certificatesPerSecond: 1,
    medianProcessMs: 1,
    cpuMsPerCertificate: 1,
    peakRssMiB: 1,
    updatesPerCertificate: 2,
    serverCpuMsPerCertificate: 1,
    ...different,
  };
}

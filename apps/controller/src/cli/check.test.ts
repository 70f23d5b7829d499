import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import { readState } from '../store/file-store.ts';
import type { Inputs } from './context.ts';
import type { CheckReport } from './output/check-schema.ts';
import { inDirectory, runMain, violations } from './testing/run-main.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox();
});
afterEach(() => sandbox.close());

function check(argv: readonly string[], inputs: Inputs = {}) {
  const nameservers = sandbox.resolvers.map(({ address, port }) => `${address}:${port}`).join(',');
  const options = ['--dns01-self-check-nameservers', nameservers];
  return runMain(['check', ...options, ...argv], { transport: sandbox.transport, ...inputs });
}

/** The sandbox's manifests in a directory, as arguments. */
async function manifests(directory: string, change = (text: string): string => text): Promise<readonly string[]> {
  const source = join(directory, 'manifests');
  await mkdir(source, { recursive: true });
  for (const [name, text] of Object.entries(sandbox.manifests())) await writeFile(join(source, name), change(text));
  return [source, '--state', join(directory, 'state')];
}

const onlyRfc2136 = (text: string): string => (text.includes('name: app\n') ? (text.split('---\n')[0] ?? '') : text);

test('good manifests: every finding once, grouped by what it is about; nothing is written, not even a state directory', () =>
  inDirectory(async (directory) => {
    const { code, out, err } = await check(await manifests(directory));
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^CA https:\S+\n {2}ok {2,}CA {2,}\S+ answers with its directory/m);
    expect(out).toMatch(/^rfc2136 "rfc2136"\n(?: {2}ok .*\n)+/m);
    expect(out.match(/^zone example\.test$/gm)).toHaveLength(1);
    expect(out).toMatch(/ok {2,}Zone at the provider {2,}acmedns "acmedns" has zone \S+\.auth\.example\.test/);
    expect(out).toMatch(
      /Nothing stands in the way of 3 of 3 targets, \d of them with something that could not be found out\.\n$/,
    );
    expect(sandbox.ca.counts.accounts).toBe(0);
    expect(existsSync(join(directory, 'state'))).toBe(false);
  }));

test('-o json has the form that docs/ publishes', () =>
  inDirectory(async (directory) => {
    const { out } = await check([...(await manifests(directory)), '-o', 'json']);
    const report: CheckReport = JSON.parse(out);
    expect(violations('check.schema.json', report)).toEqual([]);
    const [apex, app] = report.targets;
    expect([apex?.name, apex?.names]).toEqual(['default/apex-and-wildcard', ['example.test', '*.example.test']]);
    const shared = apex?.findings.filter((at) => app?.findings.includes(at)).map((at) => report.findings[at]?.id);
    expect(shared).toEqual(['ca-directory', 'ca-terms', 'ca-account', 'ca-profile', 'ca-clock']);
  }));

test('with --dns01-self-check-mode listed-only no authoritative server is asked, and that is said', async () => {
  const { code, out } = await check(['example.test', '--dns01-self-check-mode', 'listed-only']);
  expect(code).toBe(0);
  expect(out).toMatch(/unknown .*the servers of example\.test are not asked: the mode is listed-only\./);
});

test('with listed-only a delegation to acme-dns is found as an issuance would find it', () =>
  inDirectory(async (directory) => {
    const mode = ['--dns01-self-check-mode', 'listed-only'];
    const { code, out } = await check([...(await manifests(directory)), ...mode]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /ok {2,}Challenge name {2,}_acme-challenge\.app\.example\.test leads to \S+\.auth\.example\.test/,
    );
  }));

test('a wrong key, a CNAME that leads elsewhere and a profile that is not there: exit code 1, each with what to do', () =>
  inDirectory(async (directory) => {
    const broken = (text: string): string =>
      text
        .replace(/secret: \S+/, `secret: ${Buffer.alloc(32).toString('base64')}`)
        .replace('    email:', '    profile: shrot\n    email:')
        .replaceAll('app.example.test', 'alias.example.test');
    const { code, out } = await check(await manifests(directory, broken));
    expect(code).toBe(1);
    expect(out).toMatch(/failed {2,}Credentials {2,}rfc2136 "rfc2136": .*BADSIG/);
    expect(out).toMatch(/failed {2,}Profile {2,}\S+ has no profile "shrot"/);
    expect(out).toMatch(/failed {2,}Zone at the provider {2,}.*_acme-challenge\.alias\.example\.test/);
    expect(out).toMatch(/^would fail {2}Certificate default\/app: Profile, Zone at the provider$/m);
    expect(out).toMatch(/^would fail {2}Certificate default\/apex-and-wildcard: Profile, Credentials$/m);
    expect(out).toMatch(/^would fail {2}Issuer default\/sandbox: Profile, Credentials$/m);
    expect(out).not.toContain(Buffer.alloc(32).toString('base64'));
  }));

test.each([
  [90_000, /warning {2,}Clock and the CA's {2,}the clock of this machine is (?:89|90|91) s ahead of that of https:/],
  [-90_000, /warning {2,}Clock and the CA's {2,}the clock of this machine is (?:89|90|91) s behind that of https:/],
])('a clock that is %d ms off is told by the answers of the CA', (offMs, told) =>
  inDirectory(async (directory) => {
    const { code, out } = await check(await manifests(directory), { clock: { now: () => Date.now() + offMs } });
    expect([code, out]).toEqual([0, expect.stringMatching(told)]);
  }),
);

test('a CA that does not answer', () =>
  inDirectory(async (directory) => {
    const nobody = (text: string): string => text.replace(/server: https:\S+/, 'server: https://127.0.0.1:1/directory');
    const { code, out } = await check(await manifests(directory, nobody));
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/failed {2,}CA {2,}.*127\.0\.0\.1(?::1)? refuses connections/),
    ]);
  }));

describe('a bare name', () => {
  test('only what the DNS tells', async () => {
    const { code, out } = await check(['www.example.test', '-o', 'json']);
    const report: CheckReport = JSON.parse(out);
    expect(code).toBe(0);
    expect(violations('check.schema.json', report)).toEqual([]);
    expect(report.targets).toMatchObject([{ kind: 'Name', name: 'www.example.test' }]);
    expect(report.findings.find(({ id }) => id === 'challenge-name')).toMatchObject({
      result: 'ok',
      facts: { zone: 'example.test' },
    });
    expect(report.findings.map(({ about }) => about.kind)).not.toContain('provider');
  });

  test('that nobody delegates: exit code 1', async () => {
    const { code, out } = await check(['www.nowhere.invalid']);
    expect([code, out]).toEqual([1, expect.stringMatching(/^would fail {2}www\.nowhere\.invalid: Challenge name$/m)]);
  });
});

test.each([
  ['nothing', [], /missing required argument/],
  ['neither a file nor a name', ['www..example'], /there is no file or directory www\.\.example, and .*empty label/],
  ['one label', ['manifests'], /there is no file or directory manifests, and .*one label/],
  ['--write for a name', ['www.example.test', '--write'], /--write needs manifests/],
])('wrong usage: %s', async (_title, argv, told) => {
  const { code, err } = await check(argv);
  expect([code, err]).toEqual([2, expect.stringMatching(told)]);
});

test('invalid manifests: exit code 2, and nothing was sent', () =>
  inDirectory(async (directory) => {
    const { code, err } = await check(await manifests(directory, (text) => text.replace('dns01:', 'dsn01:')));
    expect([code, err]).toEqual([2, expect.stringContaining('nothing was sent anywhere')]);
  }));

describe('--write', () => {
  test('a probe value at each name: how long each server took, and gone again', () =>
    inDirectory(async (directory) => {
      const { code, out } = await check([...(await manifests(directory)), '--write', '-o', 'json']);
      const { findings }: CheckReport = JSON.parse(out);
      expect(code).toBe(0);
      const probes = findings.filter(({ id }) => id === 'write');
      expect(probes.map(({ about, detail }) => `${about.name}: ${detail}`).sort()).toEqual([
        expect.stringMatching(/^app\.example\.test: .*it stays until a newer one replaces it\.$/),
        expect.stringMatching(/^example\.test: .*was at 2 servers after .*; removed again, and gone everywhere after /),
      ]);
      expect(sandbox.dns.values('_acme-challenge.example.test')).toEqual([]);
      expect((await readState(join(directory, 'state'))).orders).toEqual([]);
    }));

  test('stopped by Ctrl-C it removes the value first', () =>
    inDirectory(async (directory) => {
      const stop = new AbortController();
      const lagging = sandbox.dns.endpoints[1];
      if (lagging) lagging.frozen = true;
      const running = check([...(await manifests(directory, onlyRfc2136)), '--write'], {
        signal: stop.signal,
        hook: (name, moment) => {
          if (name === 'order.present' && moment === 'after') setTimeout(() => stop.abort(), 50);
        },
      });
      const { code, err } = await running;
      expect([code, err]).toEqual([1, 'zoneproof: stopped; nothing more is asked.\n']);
      expect(sandbox.dns.values('_acme-challenge.example.test')).toEqual([]);
      expect((await readState(join(directory, 'state'))).orders).toEqual([]);
    }));

  test('killed with its value in the zone, the next check removes it', () =>
    inDirectory(async (directory) => {
      const argv = [...(await manifests(directory, onlyRfc2136)), '--write'];
      const crashed = await check(argv, {
        hook: (name) => {
          if (name === 'order.remove-values') throw new Error('crash');
        },
      });
      expect(crashed.code).toBe(0);
      expect(crashed.out).toMatch(/warning {2,}Probe value .*may have to be removed by hand/);
      expect(sandbox.dns.values('_acme-challenge.example.test')).toHaveLength(1);
      expect((await readState(join(directory, 'state'))).orders).toMatchObject([{ status: { ledger: [{}] } }]);

      await check(argv);
      expect(sandbox.dns.values('_acme-challenge.example.test')).toEqual([]);
      expect((await readState(join(directory, 'state'))).orders).toEqual([]);
    }));
});

test('on a terminal one live line tells how far it is, and goes when the findings come', async () => {
  let text = '';
  const write = (part: string): void => {
    text += part;
  };
  const stderr = { isTTY: true, columns: 100, rows: 30, write };
  const { out } = await check(['www.example.test'], { stderr });
  expect(text).toContain('... 0 of 1 target checked, 0 findings');
  expect(text).toMatch(/1 of 1 target checked, \d+ findings/);
  expect(text.endsWith('\u001b[1A\u001b[0J')).toBe(true);
  expect(out).toContain('zone example.test');
});

import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import { parse } from 'yaml';
import { demo } from './demo.ts';
import { main } from './main.ts';
import { collector, inDirectory, plugins, runMain, until, violations } from './testing/run-main.ts';

let sandbox: Sandbox;
let nameservers: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  nameservers = sandbox.resolvers.map(({ address, port }) => `${address}:${port}`).join(',');
});
afterAll(() => sandbox.close());

async function putManifests(directory: string, change: (text: string) => string = (text) => text): Promise<string> {
  for (const [name, text] of Object.entries(sandbox.manifests())) await writeFile(join(directory, name), change(text));
  return join(directory, 'state');
}

const once = (directory: string, ...more: string[]) =>
  runMain(
    [
      'run',
      directory,
      '--state',
      join(directory, 'state'),
      '--once',
      '--dns01-self-check-nameservers',
      nameservers,
      ...more,
    ],
    { transport: sandbox.transport },
  );

test('run --once ends 0 when every certificate is Ready, and status agrees, with its JSON Schema too', () =>
  inDirectory(async (directory) => {
    const state = await putManifests(directory);
    const ran = await once(directory);
    expect(ran.err).toBe('');
    expect(ran.out).toMatch(/^\d{4}-\S+Z info {2}Certificate default\/app Issuing: /m);
    expect(ran.out).toMatch(/2 of 2 certificates ready\.\n$/);
    expect(ran.code).toBe(0);

    const json = await runMain(['status', '--state', state, '-o', 'json']);
    const report = JSON.parse(json.out);
    expect(violations('status.schema.json', report)).toEqual([]);
    expect(report.process).toEqual({ running: false });
    expect(report.issuers).toMatchObject([{ name: 'sandbox', ready: true }]);
    for (const certificate of report.certificates) {
      expect(certificate).toMatchObject({ ready: true, reason: 'Issued' });
      expect(ran.out).toContain(certificate.files.key);
      expect(await readFile(certificate.files.certificate, 'utf8')).toMatch(/^-----BEGIN CERTIFICATE-----/);
      expect((await stat(certificate.files.key)).mode & 0o77).toBe(0);
    }
    expect(parse((await runMain(['status', '--state', state, '-o', 'yaml'])).out)).toMatchObject({
      kind: 'Status',
      certificates: report.certificates,
    });

    const table = await runMain(['status', '--state', state]);
    expect(table.out).toMatch(/^default\/app +yes +20\d\d-\d\d-\d\d \d\d:\d\dZ \(in \d+ d\) +\S+ \S+ +Issued$/m);
    const one = await runMain(['status', 'apex-and-wildcard', '-n', 'default', '--state', state]);
    expect(one.out).toMatch(/^Certificate default\/apex-and-wildcard\n {2}Ready +yes, Issued: /m);
    expect(one.out).toMatch(/\*\.example\.test: validated through rfc2136 in zone example\.test/);
    expect(one.out).toMatch(/has it {2}ns2\.example\.test {2}127\.0\.0\.2 {2}udp {2}\S+ ms {2}NOERROR AA/);
    expect(await runMain(['status', 'nobody', '--state', state])).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is no certificate nobody'),
    });
    expect(await runMain(['renew', 'app', '--state', state])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no zoneproof process is running'),
    });

    const orders = sandbox.ca.orders;
    expect(await once(directory)).toMatchObject({ code: 0 });
    expect(sandbox.ca.orders).toBe(orders);
  }));

test('run --once ends 1 with the reason when a certificate cannot be had, and the others are issued', () =>
  inDirectory(async (directory) => {
    const state = await putManifests(directory, (text) =>
      text.replace(/secret: \S{20,}/, `secret: ${Buffer.alloc(32, 7).toString('base64')}`),
    );
    const ran = await once(directory, '--log-format', 'json');
    expect(ran.code).toBe(1);
    const lines = ran.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.flatMap((line) => violations('run-log.schema.json', line))).toEqual([]);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'info', kind: 'Certificate', name: 'app', reason: 'Issued' }),
    );
    const report = JSON.parse((await runMain(['status', '--state', state, '-o', 'json'])).out);
    expect(violations('status.schema.json', report)).toEqual([]);
    expect(report.certificates).toMatchObject([
      { name: 'apex-and-wildcard', ready: false },
      { name: 'app', ready: true },
    ]);
    const table = await runMain(['status', '--state', state]);
    expect(table.out).toMatch(/default\/apex-and-wildcard +no +- +- +CredentialsRefused: .*acme-update/);
  }));

test('run --once ends 1 with the reason when an Issuer is not Ready, be there a certificate or not', () =>
  inDirectory(async (directory) => {
    const issuer = (sandbox.manifests()['issuer.yaml'] as string).replace(
      /server: https\S+/,
      'server: https://127.0.0.1:1/d',
    );
    await writeFile(join(directory, 'issuer.yaml'), issuer);
    await writeFile(join(directory, 'secrets.yaml'), sandbox.manifests()['secrets.yaml'] as string);
    const ran = await once(directory);
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(/not ready {2}Issuer default\/sandbox: CAUnavailable: .*127\.0\.0\.1:1/);
    expect(ran.out).toContain('The manifests hold no Certificate: there is nothing to issue.');
  }));

test(
  'a disk that is full when manifests change is told of; they are used when there is room again',
  () =>
    inDirectory(async (directory) => {
      const state = await putManifests(directory);
      const out = collector();
      const stop = new AbortController();
      let full = false;
      const running = main(['run', directory, '--state', state, '--dns01-self-check-nameservers', nameservers], {
        stdout: out,
        stderr: out,
        env: {},
        plugins,
        transport: sandbox.transport,
        signal: stop.signal,
        hook: (name, moment) => {
          if (full && name === 'manifests.store' && moment === 'before')
            throw Object.assign(new Error('ENOSPC: no space left on device, write'), {
              code: 'ENOSPC',
              syscall: 'write',
            });
        },
      });
      await until('the first certificates', () => out.text().match(/Issued:/g)?.length === 2);
      full = true;
      await writeFile(join(directory, 'more.yaml'), '{apiVersion: v1, kind: Secret, metadata: {name: more}}');
      await until('the report', () => out.text().includes('ManifestsNotStored'));
      expect(out.text()).toContain(
        'ManifestsNotStored: The manifests could not be stored: the disk is full: make room (ENOSPC, write). Trying again every few seconds.',
      );
      full = false;
      await until('the next look', () => out.text().includes('Reloaded'));
      stop.abort();
      expect(await running).toBe(0);
    }),
  20_000,
);

test(
  'run looks after its manifests until it is stopped: new ones are used, broken ones told, renew is heard',
  () =>
    inDirectory(async (directory) => {
      const state = await putManifests(directory);
      const out = collector();
      const stop = new AbortController();
      const running = main(['run', directory, '--state', state, '--dns01-self-check-nameservers', nameservers], {
        stdout: out,
        stderr: out,
        env: {},
        plugins,
        transport: sandbox.transport,
        signal: stop.signal,
      });
      await until('the first certificates', () => out.text().match(/Issued:/g)?.length === 2);

      expect(await runMain(['run', directory, '--state', state])).toMatchObject({
        code: 1,
        err: expect.stringMatching(/is in use by the zoneproof process \d+/),
      });
      expect(JSON.parse((await runMain(['status', '--state', state, '-o', 'json'])).out).process).toEqual({
        running: true,
        pid: process.pid,
      });

      const extra = `apiVersion: zoneproof.dev/v1alpha1
kind: Certificate
metadata: {name: extra}
spec: {secretName: extra-tls, dnsNames: [extra.example.test], issuerRef: {name: sandbox}, onIssued: [touch, ${join(directory, 'told')}]}
`;
      await writeFile(join(directory, 'extra.yaml'), extra.replace('dnsNames', 'dnsName'));
      await until('the broken file', () => out.text().includes('the last good manifests stay in use'));
      expect(out.text()).toMatch(
        /extra\.yaml:4:\d+: error: Certificate default\/extra: spec\.dnsName: unknown field "dnsName"; did you mean "dnsNames"\?/,
      );
      await writeFile(join(directory, 'extra.yaml'), extra);
      await until('the new certificate', () => out.text().includes('Certificate default/extra OnIssuedDone'));
      expect((await stat(join(directory, 'told'))).isFile()).toBe(true);

      const issued = out.text().match(/default\/app Issued:/g)?.length ?? 0;
      expect(await runMain(['renew', 'app', '--state', state])).toMatchObject({ code: 0 });
      await until('the renewal', () => out.text().match(/default\/app Issued:/g)?.length === issued + 1);
      expect(await runMain(['renew', 'nobody', '--state', state])).toMatchObject({
        code: 1,
        err: expect.stringMatching(/There is no Certificate default\/nobody\. zoneproof status --state \S+ lists/),
      });

      stop.abort();
      expect(await running).toBe(0);
    }),
  20_000,
);

test('the demo issues both certificates, shows the evidence, and ends 0', async () => {
  const out = collector();
  expect(await demo({ stdout: out, stderr: out, env: {}, plugins })).toBe(0);
  expect(out.text()).toMatch(/2 of 2 authoritative servers of example\.test have all 2 values/);
  expect(out.text()).toMatch(/1 of 1 authoritative server of auth\.example\.test has the value/);
  expect(out.text()).toMatch(/2 of 2 certificates ready\./);
  const [, chain = ''] = /openssl x509 -in (\S+)/.exec(out.text()) ?? [];
  expect(await readFile(chain, 'utf8')).toMatch(/BEGIN CERTIFICATE/);
  await rm(chain.slice(0, chain.indexOf('/state/')), { recursive: true });
});

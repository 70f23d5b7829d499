import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inDirectory, runMain } from './testing/run-main.ts';

test.each<[readonly string[], RegExp]>([
  [['--namespace', 'Shop'], /^zoneproof: --namespace: "Shop" is no name of a namespace\.\n$/],
  [['--cluster-resource-namespace', ''], /--cluster-resource-namespace: "" is no name of a namespace/],
  [['--lease-name', 'my lease'], /--lease-name: "my lease" is no name of an object/],
  [
    ['--lease-duration', '1s'],
    /--lease-duration: "1s" is no duration from 2s to 5m; write it like 90s, 10m or 1h30m\./,
  ],
  [['--lease-duration', '2500ms'], /--lease-duration: "2500ms" is no duration/],
  [['--lease-duration', '15'], /--lease-duration: "15" is no duration/],
  [['--shutdown-timeout', '0s'], /--shutdown-timeout: "0s" is no duration from 1s to 1h/],
  [['--secret-resync', '2d'], /--secret-resync: "2d" is no duration from 10s to 24h/],
  [['--denied-cidrs', '10.0.0.0/33'], /--denied-cidrs: "10\.0\.0\.0\/33" is no range of addresses/],
  [['--allowed-endpoints', 'https://dns.example'], /--allowed-endpoints: "https:\/\/dns\.example" is no host/],
  [['--dns01-self-check-nameservers', '10.0.0.10'], /--dns01-self-check-nameservers: .*the port is missing/],
  [['--metrics-listen', '9402'], /--metrics-listen: "9402" is no address to listen at/],
])('%j is wrong usage', async (argv, message) => {
  const { code, out, err } = await runMain(['controller', ...argv]);
  expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringMatching(message) });
});

const listen = ['--metrics-listen', '127.0.0.1:0', '--log-format', 'text'];

/** An API server that has none of our kinds. */
async function withServer(use: (kubeconfig: string) => Promise<void>): Promise<void> {
  const server = createServer((_request, response) => {
    response.writeHead(404, { 'Content-Type': 'application/json' });
    response.end('{"kind":"Status","status":"Failure","reason":"NotFound","code":404}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await inDirectory(async (directory) => {
      const file = join(directory, 'kubeconfig');
      const config = {
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'c',
        clusters: [{ name: 'k', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
        contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
        users: [{ name: 'u', user: {} }],
      };
      await writeFile(file, JSON.stringify(config));
      await use(file);
    });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test('without the CRDs it says how to install them, and exits 1', () =>
  withServer(async (kubeconfig) => {
    const { code, out, err } = await runMain(['controller', '--kubeconfig', kubeconfig, ...listen]);
    expect({ code, err }).toEqual({
      code: 1,
      err: 'zoneproof: The CustomResourceDefinitions of zoneproof.dev are not installed. Apply those of this version: zoneproof crds | kubectl apply --server-side -f -\n',
    });
    expect(out).toMatch(/ info {2}Listening: \/healthz, \/readyz and \/metrics are served at 127\.0\.0\.1:\d+\.\n$/);
  }));

test('a context that the kubeconfig does not have', () =>
  withServer(async (kubeconfig) => {
    const { code, err } = await runMain(['controller', '--kubeconfig', kubeconfig, '--context', 'other', ...listen]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^zoneproof: .*"other".*\n$/) });
  }));

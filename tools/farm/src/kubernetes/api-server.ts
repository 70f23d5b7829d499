import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { type RunningServer, startServer } from '../process.ts';
import { createLocalhostTls, type LocalhostTls } from '../tls.ts';
import { tool } from '../tools.ts';
import { auditPolicy } from './audit.ts';

/** What outlives a restart of the API server: its files, and its port once it has one. */
export interface ApiServerHome {
  readonly directory: string;
  readonly tls: LocalhostTls;
  /** Of a user that may do everything. */
  readonly adminToken: string;
  /** Of the controller manager; may do everything, and stands in the audit log under its own name. */
  readonly controllerToken: string;
  readonly auditFile: string;
  readonly etcdUrl: string;
  port: number | undefined;
}

export async function prepareApiServer(directory: string, etcdUrl: string): Promise<ApiServerHome> {
  const home: ApiServerHome = {
    directory,
    tls: await createLocalhostTls(directory),
    adminToken: 'token-of-the-admin',
    controllerToken: 'token-of-the-controller-manager',
    auditFile: join(directory, 'audit.log'),
    etcdUrl,
    port: undefined,
  };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeFile(serviceAccountKey(home), privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  await writeFile(
    tokenFile(home),
    [`${home.adminToken},admin,1`, `${home.controllerToken},system:kube-controller-manager,2`]
      .map((line) => `${line},system:masters\n`)
      .join(''),
    { mode: 0o600 },
  );
  await writeFile(policyFile(home), JSON.stringify(auditPolicy));
  return home;
}

/** Starts kube-apiserver on the port that it had before. */
export async function startApiServer(home: ApiServerHome): Promise<RunningServer> {
  let port = 0;
  const server = await startServer('kube-apiserver', async () => {
    port = home.port ?? (await freePort());
    return {
      command: tool('kube-apiserver'),
      args: flags(home, port),
      readyWithinMs: 120_000,
      // It would wait for its clients' watches to end.
      stopWithinMs: 500,
      ready: async () => {
        await callApiServer({ ...home, port }, 'GET', '/readyz');
        await callApiServer({ ...home, port }, 'GET', '/api/v1/namespaces/default');
      },
    };
  });
  home.port = port;
  return server;
}

/**
 * A request as the admin; the body of the answer.
 *
 * @throws Error with the API server's words when it answers anything but 2xx
 */
export function callApiServer(home: ApiServerHome, method: string, path: string, body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${home.adminToken}`,
      'user-agent': 'zoneproof-farm',
      ...(body && { 'content-type': 'application/json' }),
    };
    const url = `https://127.0.0.1:${home.port}${path}`;
    const sent = request(url, { method, ca: home.tls.rootPem, headers, agent: false, timeout: 10_000 }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if (answer.statusCode !== undefined && answer.statusCode < 300) resolve(text);
        else reject(new Error(`${method} ${path} was answered ${answer.statusCode}: ${text.slice(0, 1000)}`));
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} was not answered within 10 s`)));
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

function flags(home: ApiServerHome, port: number): readonly string[] {
  return [
    `--etcd-servers=${home.etcdUrl}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    // The machine may have no other address; nothing here looks for the API server through its Service.
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--tls-cert-file=${home.tls.certificateFile}`,
    `--tls-private-key-file=${home.tls.keyFile}`,
    `--client-ca-file=${home.tls.rootFile}`,
    `--token-auth-file=${tokenFile(home)}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${serviceAccountKey(home)}`,
    `--service-account-signing-key-file=${serviceAccountKey(home)}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    // It mounts tokens into Pods, of which there are none.
    '--disable-admission-plugins=ServiceAccount',
    `--audit-policy-file=${policyFile(home)}`,
    `--audit-log-path=${home.auditFile}`,
    '--audit-log-maxsize=100000',
  ];
}

const serviceAccountKey = (home: ApiServerHome) => join(home.directory, 'service-accounts.key');
const tokenFile = (home: ApiServerHome) => join(home.directory, 'tokens.csv');
const policyFile = (home: ApiServerHome) => join(home.directory, 'audit-policy.json');

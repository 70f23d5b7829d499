import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tool } from '../tools.ts';
import { type ApiServerHome, callApiServer } from './api-server.ts';

const run = promisify(execFile);

export interface ClusterUser {
  /** `system:serviceaccount:NAMESPACE:NAME` for a ServiceAccount that exists. */
  readonly name: string;
  /** Left out for a ServiceAccount: the API server gives it its groups. */
  readonly groups?: readonly string[];
}

export type Credentials = { readonly token: string } | { readonly certificate: string; readonly key: string };

/** A token of a ServiceAccount (TokenRequest, valid for a day), a client certificate for anybody else. */
export async function credentialsFor(home: ApiServerHome, user: ClusterUser): Promise<Credentials> {
  const account = serviceAccount(user.name);
  return account === undefined ? clientCertificate(home, user) : { token: await requestToken(home, account) };
}

/** Writes a kubeconfig; the name of the file. */
export async function writeKubeconfig(
  directory: string,
  server: { readonly url: string; readonly rootPem: string },
  user: ClusterUser,
  credentials: Credentials,
): Promise<string> {
  const namespace = serviceAccount(user.name)?.namespace;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'farm', cluster: { server: server.url, 'certificate-authority-data': base64(server.rootPem) } }],
    users: [{ name: user.name, user: userEntry(credentials) }],
    contexts: [{ name: 'farm', context: { cluster: 'farm', user: user.name, ...(namespace && { namespace }) } }],
    'current-context': 'farm',
  };
  const file = join(directory, `${randomBytes(4).toString('hex')}.kubeconfig`);
  await writeFile(file, JSON.stringify(config, undefined, 2), { mode: 0o600 });
  return file;
}

function userEntry(credentials: Credentials): object {
  if ('token' in credentials) return { token: credentials.token };
  return {
    'client-certificate-data': base64(credentials.certificate),
    'client-key-data': base64(credentials.key),
  };
}

function serviceAccount(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

async function requestToken(
  home: ApiServerHome,
  account: { readonly namespace: string; readonly name: string },
): Promise<string> {
  const path = `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } };
  const answer = JSON.parse(await callApiServer(home, 'POST', path, body)) as { readonly status: { token: string } };
  return answer.status.token;
}

async function clientCertificate(home: ApiServerHome, user: ClusterUser): Promise<Credentials> {
  const file = join(home.directory, `client-${randomBytes(4).toString('hex')}`);
  const subject = [['CN', user.name], ...(user.groups ?? []).map((group) => ['O', group])]
    .map(([type, value]) => `/${type}=${value?.replaceAll('/', '\\/')}`)
    .join('');
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${file}.key`];
  await run(tool('openssl'), ['req', ...newKey, '-out', `${file}.csr`, '-subj', subject]);
  await writeFile(`${file}.ext`, 'extendedKeyUsage=clientAuth\nbasicConstraints=CA:FALSE\n');
  await run(tool('openssl'), [
    ...['x509', '-req', '-in', `${file}.csr`, '-out', `${file}.pem`, '-days', '2', '-extfile', `${file}.ext`],
    ...['-CA', home.tls.rootFile, '-CAkey', home.tls.rootKeyFile, '-set_serial', `0x${randomBytes(8).toString('hex')}`],
  ]);
  return { certificate: await readFile(`${file}.pem`, 'utf8'), key: await readFile(`${file}.key`, 'utf8') };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

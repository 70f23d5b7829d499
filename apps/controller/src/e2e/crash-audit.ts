import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Sandbox } from '@zoneproof/sandbox';
import { readState } from '../store/file-store.ts';
import { type CrashWorld, issuedFile } from './crash-world.ts';

/** Names at which our TXT values come and go, beside a value of somebody else that has to survive. */
const sharedNames = ['_acme-challenge.example.test'];
const foreignValue = 'the value of somebody else';

/** What was so before the first process on a state directory, to judge what its crashes have done. */
export interface Audit {
  /** What is wrong between a crash and the next start, as sentences. */
  afterCrash(): Promise<readonly string[]>;
  /** What is wrong after a run that nobody disturbed, as sentences. */
  afterwards(): Promise<readonly string[]>;
}

/** Puts the value of somebody else in place, and nothing else. */
export function plantForeignValues(sandbox: Sandbox): void {
  for (const name of sharedNames) {
    sandbox.dns.remove({ name, type: 'TXT' });
    sandbox.dns.set({ name, type: 'TXT', value: foreignValue });
  }
}

/**
 * @param issuances how many certificates each Certificate shall have got at the end: not one more, since CAs limit them
 */
export async function beginAudit(
  { sandbox }: CrashWorld,
  stateDir: string,
  issuances: Readonly<Record<string, number>>,
): Promise<Audit> {
  const { counts } = sandbox.ca;
  const before = { accounts: counts.accounts, certificates: counts.certificates };
  const served = await certificatesServed(stateDir);
  // The first account key that is seen is the one that has to stay.
  let accountKey = await readAccountKey(stateDir);
  const hadAccount = accountKey !== undefined;

  async function afterCrash(): Promise<readonly string[]> {
    const wrong: string[] = [];
    const key = await readAccountKey(stateDir);
    if (accountKey !== undefined && key !== accountKey) wrong.push('the account key is gone or another one');
    accountKey ??= key;
    const servedNow = await certificatesServed(stateDir);
    for (const name of served) if (!servedNow.includes(name)) wrong.push(`the certificate of ${name} is gone`);
    for (const name of servedNow) wrong.push(...(await wrongPair(stateDir, name)));
    return wrong;
  }

  async function afterwards(): Promise<readonly string[]> {
    const wrong = [...(await afterCrash())];
    const { certificates, orders } = await readState(stateDir);
    const servedNow = await certificatesServed(stateDir);
    for (const { metadata, status } of certificates) {
      const ready = status.conditions?.find(({ type }) => type === 'Ready');
      if (ready?.status !== 'True') wrong.push(`${metadata.name} is not Ready: ${ready?.reason} ${ready?.message}`);
      if (!servedNow.includes(metadata.name)) wrong.push(`${metadata.name} has no files in certs`);
    }
    for (const { metadata, status } of orders)
      for (const { name, value } of status.ledger ?? [])
        wrong.push(`the ledger of ${metadata.name} holds ${name} ${value}`);
    for (const name of sharedNames) {
      const values = sandbox.dns.values(name);
      if (values.join() !== foreignValue) wrong.push(`at ${name} there is ${values.join(', ') || 'nothing'}`);
    }
    // What one run leaves behind is no fault of the next one.
    plantForeignValues(sandbox);
    const accounts = counts.accounts - before.accounts;
    if (accounts !== (hadAccount ? 0 : 1)) wrong.push(`${accounts} accounts were made`);
    const wanted = Object.values(issuances).reduce((sum, count) => sum + count, 0);
    const issued = counts.certificates - before.certificates;
    if (issued !== wanted) wrong.push(`${issued} certificates were issued, where ${wanted} were wanted`);
    const told = (await readFile(issuedFile(stateDir), 'utf8').catch(() => '')).split('\n');
    for (const [name, count] of Object.entries(issuances))
      if (told.filter((line) => line === name).length < count) wrong.push(`onIssued of ${name} did not run`);
    const secrets = certificates.map(({ spec }) => spec.secretName);
    wrong.push(...(await strays(stateDir, ['sandbox-account-key', ...secrets])));
    return wrong;
  }

  return { afterCrash, afterwards };
}

async function readAccountKey(stateDir: string): Promise<string | undefined> {
  return readFile(join(stateDir, 'secrets/default/sandbox-account-key/tls.key'), 'utf8').catch(() => undefined);
}

/** Names of the certificates that a web server would find. */
async function certificatesServed(stateDir: string): Promise<readonly string[]> {
  const names = await readdir(join(stateDir, 'certs/default')).catch(() => []);
  return names.filter((name) => !name.endsWith('.tmp'));
}

/** At no time does a web server find a key beside the certificate of another key, or half of a file. */
async function wrongPair(stateDir: string, name: string): Promise<readonly string[]> {
  const directory = join(stateDir, 'certs/default', name);
  try {
    const leaf = new X509Certificate(await readFile(join(directory, 'tls.crt')));
    const key = createPrivateKey(await readFile(join(directory, 'tls.key')));
    return leaf.checkPrivateKey(key) ? [] : [`certificate and key of ${name} do not belong together`];
  } catch (error) {
    return [`certificate or key of ${name} cannot be read: ${(error as Error).message}`];
  }
}

/** Files that nothing leads to any more: unfinished ones, and private keys that were replaced. */
async function strays(stateDir: string, secrets: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(stateDir, { recursive: true, withFileTypes: true });
  const wrong: string[] = [];
  for (const { name, parentPath } of entries) {
    if (name.endsWith('.tmp')) wrong.push(`${name} was left behind`);
    if (basename(parentPath) !== 'default' || basename(join(parentPath, '..')) !== 'secrets') continue;
    if (!name.startsWith('.')) {
      if (!secrets.includes(name)) wrong.push(`Secret ${name} was left behind`);
      continue;
    }
    const [, secret] = /^\.(.+)\.[0-9a-f]+$/.exec(name) ?? [];
    const target = await readlink(join(parentPath, secret ?? '')).catch(() => undefined);
    if (target !== name) wrong.push(`the directory ${name} was left behind`);
  }
  return wrong;
}

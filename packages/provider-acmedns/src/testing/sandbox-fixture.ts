import type { RecordTarget } from '@zoneproof/core';
import { exchange, formatServer, systemTransport, toDnsName, txtValue } from '@zoneproof/dns';
import type { Fixture, Secrets } from '@zoneproof/provider-testkit';
import { type AcmeDnsAccount, type Clock, type SandboxAcmeDns, startAcmeDns } from '@zoneproof/sandbox';
import { badDays } from './bad-days.ts';

/** The sandbox's acme-dns at auth.example.test; every target has an account of its own. */
export async function startAcmednsFixture(clock?: Clock): Promise<Fixture & { readonly server: SandboxAcmeDns }> {
  const server = await startAcmeDns({ domain: 'auth.example.test', ...(clock && { clock }) });
  const document: Record<string, AcmeDnsAccount> = {};
  const canaries: string[] = [];

  /** Registers an account for the domain, to which its CNAME leads. */
  function register(domain: string): AcmeDnsAccount {
    const account = server.register();
    document[domain] = account;
    canaries.push(account.password);
    return account;
  }

  const first = register('www.example.test');
  const unlinked = register('unlinked.example.test');
  const challengeName = toDnsName('_acme-challenge.unlinked.example.test');
  const wrongSecrets = (): Secrets => {
    const wrong = Object.entries(document).map(([domain, account]) => [
      domain,
      { ...account, password: 'a-password-of-the-right-form-but-not-it-' },
    ]);
    return { acmedns: { 'accounts.json': JSON.stringify(Object.fromEntries(wrong)) } };
  };
  const nobody = targetOf('nobody.example.test', '_acme-challenge.nobody.example.test');
  return {
    server,
    config: {
      host: server.url,
      accountSecretRef: { name: 'acmedns', key: 'accounts.json' },
      nameserver: formatServer(server.dns),
    },
    get secrets() {
      return { acmedns: { 'accounts.json': JSON.stringify(document) } };
    },
    get wrongSecrets() {
      return wrongSecrets();
    },
    get canaries() {
      return [...canaries, 'a-password-of-the-right-form-but-not-it-'];
    },
    newTarget() {
      const domain = `host${canaries.length}.example.test`;
      return Promise.resolve(targetOf(domain, register(domain).fulldomain));
    },
    async observe(name) {
      const options = { transport: systemTransport, rd: false, signal: AbortSignal.timeout(5000) };
      const { message } = await exchange({ name, type: 'TXT' }, server.dns, options);
      return { values: message.answers.flatMap((record) => (record.type === 'TXT' ? [txtValue(record)] : [])) };
    },
    async plant(name, value) {
      const account = server.accounts().find(({ fulldomain }) => fulldomain === name) as AcmeDnsAccount;
      const answer = await fetch(`${server.url}/update`, {
        method: 'POST',
        headers: { 'x-api-user': account.username, 'x-api-key': account.password },
        body: JSON.stringify({ subdomain: account.subdomain, txt: value }),
      });
      if (!answer.ok) throw new Error(`planting answered ${answer.status}`);
    },
    zones: [
      { target: targetOf('www.example.test', first.fulldomain), zone: first.fulldomain },
      // A key holds for the names below it.
      { target: targetOf('deep.www.example.test', first.fulldomain), zone: first.fulldomain },
      { target: nobody, zone: undefined },
    ],
    personFirst: {
      target: targetOf('unlinked.example.test', challengeName),
      action: { kind: 'create-cname', name: challengeName, target: toDnsName(unlinked.fulldomain) },
    },
    pretendWrites(on) {
      if (on) server.failNext({ at: 'update', status: 200, body: '{"txt": "pretended"}' });
    },
    badDays: badDays(server, wrongSecrets, nobody),
    close: () => server.close(),
  };
}

function targetOf(domain: string, name: string): RecordTarget {
  return {
    domain: toDnsName(domain),
    challengeName: toDnsName(`_acme-challenge.${domain}`),
    name: toDnsName(name),
  };
}

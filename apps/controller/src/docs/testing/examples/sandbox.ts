import { startSandbox } from '@zoneproof/sandbox';

/** What the program under test would be given, and what a test can look at. */
export async function tour() {
  const sandbox = await startSandbox({ ca: { certificateLifetimeMs: 3_600_000, nonceRejectPercent: 5 } });
  try {
    sandbox.dns.set({ name: '_acme-challenge.example.test', type: 'TXT', value: 'left-by-somebody' });
    sandbox.ca.faults.add({ at: 'newOrder', problem: 'rateLimited', times: 1 });
    return {
      directory: sandbox.ca.directoryUrl, // https, under the root sandbox.ca.rootPem
      resolvers: sandbox.resolvers, // reach the name servers through sandbox.transport
      acmeDns: sandbox.acmeDns.url,
      values: sandbox.dns.values('_acme-challenge.example.test'),
      issued: sandbox.ca.issued(),
    };
  } finally {
    await sandbox.close();
  }
}

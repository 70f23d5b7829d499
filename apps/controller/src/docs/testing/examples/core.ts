import { createSelfCheck, preflight, readResolvConf, systemClock, systemRandom } from '@zoneproof/core';
import { systemTransport, toDnsName } from '@zoneproof/dns';

/** Whether every authoritative server of the zone has the values, and what each of them said. */
export async function look(name: string, values: readonly string[], inputs: Partial<Inputs> = {}) {
  const selfCheck = createSelfCheck({
    resolvers: () => readResolvConf().servers,
    transport: systemTransport,
    clock: systemClock,
    random: systemRandom,
    ...inputs,
  });
  const signal = AbortSignal.timeout(30_000);
  const location = await selfCheck.locate(toDnsName(name), signal); // follows CNAMEs, finds the zone's servers
  const { verdict, summary } = await selfCheck.look(location, values, signal);
  return { zone: location.zone, verdict, summary };
}

/** What would keep a CA from issuing for these names; empty when nothing does. Writes nothing. */
export async function obstacles(
  names: readonly string[],
  caaIdentities: readonly string[],
  inputs: Partial<Inputs> = {},
) {
  const { findings } = await preflight(
    { names, caaIdentities },
    {
      resolvers: () => readResolvConf().servers,
      transport: systemTransport,
      clock: systemClock,
      random: systemRandom,
      ...inputs,
      signal: AbortSignal.timeout(60_000),
    },
  );
  return findings.filter(({ result }) => result === 'failed').map(({ id, detail }) => `${id}: ${detail}`);
}

type Inputs = Parameters<typeof createSelfCheck>[0];

import { preflight, selfCheck } from '@zoneproof/core';

/** Waits for a value at every authoritative server of its zone; what stands in the way is one sentence. */
export async function waitFor(name: string, value: string, options: Parameters<typeof selfCheck>[1] = {}) {
  const { visible, location, evidence } = await selfCheck({ name, values: [value], waitMs: 60_000 }, options);
  return { visible, zone: location.zone, summary: evidence.summary };
}

/** What would keep a CA from issuing for these names; empty when nothing does. Writes nothing. */
export async function obstacles(
  names: readonly string[],
  caaIdentities: readonly string[],
  options: Parameters<typeof preflight>[1] = {},
) {
  const { findings } = await preflight({ names, caaIdentities }, options);
  return findings.filter(({ result }) => result === 'failed').map(({ id, detail }) => `${id}: ${detail}`);
}

import type { Evidence, ServerEvidence } from './types.ts';

/**
 * What all findings together mean. A server that answers without the values vetoes, since the CA may be the one that
 * asks it. A name server counts by its name: one good address makes it good, as an IPv6 address is often out of reach
 * from where we stand. Zero answers never pass, and neither do fewer good servers than half of all.
 */
export function judge(servers: readonly ServerEvidence[]): Evidence['verdict'] {
  if (servers.some(({ finding }) => finding === 'lacks')) return 'missing';
  const names = new Set(servers.map(({ server }) => server));
  const good = new Set(servers.filter(({ finding }) => finding === 'has').map(({ server }) => server));
  return good.size >= 1 && good.size * 2 >= names.size ? 'visible' : 'unreachable';
}

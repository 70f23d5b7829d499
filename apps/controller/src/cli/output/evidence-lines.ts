import type { ServerEvidence } from '@zoneproof/core';
import { printable, type Style } from '../terminal/style.ts';
import { table } from '../terminal/table.ts';

/** As in the status report, whose names are plain text. */
type ShownServer = Omit<ServerEvidence, 'alias'>;

/** One line a server: what it was asked over, how long it took, and what it said. */
export function evidenceLines(servers: readonly ShownServer[], style: Style): string {
  return table(
    servers.map(({ server, address, finding, transport, rttMs, rcode, aa, serial, values = [], detail }) => [
      marks(style)[finding],
      server,
      // A listed server has no other name.
      server.includes(address) ? '' : address,
      transport,
      rttMs === undefined ? '' : `${Math.max(rttMs, 0.1).toFixed(rttMs < 10 ? 1 : 0)} ms`,
      [rcode, aa === true ? 'AA' : '', serial === undefined ? '' : `serial ${serial}`].filter(Boolean).join(' '),
      printable([values.map((value) => `"${value}"`).join(' '), detail ?? ''].filter(Boolean).join(' ')),
    ]),
  );
}

function marks(style: Style): Readonly<Record<ShownServer['finding'], string>> {
  return {
    has: style.green('has it'),
    lacks: style.red('lacks it'),
    lame: style.yellow('lame'),
    unreachable: style.yellow('no answer'),
  };
}

import { textTable } from '../table.ts';
import type { SelfCheckFigures } from './index.ts';

/** For people: what the figures are and the figures. */
export function selfCheckTables({ delays, queries, pending, seed }: SelfCheckFigures): string {
  const ms = (value: number) => value.toFixed(0);
  const mib = (octets = Number.NaN) => (octets / 2 ** 20).toFixed(1);
  return [
    `Self check in simulated time, 4 servers with lags up to 60 s, seed ${seed}`,
    '\nMilliseconds from the moment at which the last server has the value: until the check has passed, and until that is\nconfirmed\n',
    textTable(
      ['values', 'client', 'number', 'p50', 'p95', 'max', 'confirmed p50', 'p95', 'max', 'queries each'],
      delays.map(({ load, client, values, passedMs, confirmedMs, queriesPerValue }) => [
        load,
        client,
        String(values),
        ...[passedMs, confirmedMs].flatMap(({ p50, p95, max }) => [p50, p95, max].map(ms)),
        queriesPerValue.toFixed(1),
      ]),
    ),
    '\nQueries for challenges in one zone\n',
    textTable(
      ['challenges', 'client', 'number', 'locate', 'watch', 'confirm', 'each', 'passed p50', 'p95', 'max'],
      queries.map(({ load, client, challenges, locate, watch, confirm, perChallenge, passedMs }) => [
        load,
        client,
        ...[challenges, locate, watch, confirm].map(String),
        perChallenge.toFixed(2),
        ...[passedMs.p50, passedMs.p95, passedMs.max].map(ms),
      ]),
    ),
    "\nWaiting for values that do not come: memory in MiB, queries a second to one server for one zone, CPU seconds with\nthe simulated servers; the old generation is limited to 160 MiB, since an hour's garbage comes in a minute\n",
    textTable(
      [
        'challenges',
        'zones',
        'minutes',
        'heap first',
        'heap last',
        'peak RSS',
        'q/s first',
        'q/s last',
        'queries',
        'CPU s',
      ],
      pending.map((row) => [
        ...[row.challenges, row.zones, row.minutes].map(String),
        ...[row.heap[0], row.heap.at(-1), row.rss, row.peakRss].map(mib),
        ...[row.perSecondFirst, row.perSecondLast].map((each) => each.toFixed(2)),
        String(row.queries),
        row.cpuSeconds.toFixed(1),
      ]),
    ),
  ].join('\n');
}

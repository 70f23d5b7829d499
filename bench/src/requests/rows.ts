import type { RequestCount } from './count.ts';
import type { PeerFigures } from './peers.ts';
import { looksAtChange } from './services.ts';

/** API requests of one client for the same challenges, written and removed. */
export interface RequestRow {
  /** The block's key: `clouddns`. */
  readonly provider: string;
  readonly client: string;
  readonly challenges: number;
  readonly zones: number;
  readonly listing: number;
  readonly reads: number;
  readonly creates: number;
  readonly removes: number;
  /** Of the four before. */
  readonly sum: number;
  /** Looks at changes on their way, each change in sync at the second. */
  readonly syncPolls: number;
  readonly tokens: number;
  /** Of another client: where its code says so. */
  readonly source?: string;
}

type Size = Pick<RequestRow, 'challenges' | 'zones'>;

export function ownRow(provider: string, size: Size, { create, remove = none }: RequestCount): RequestRow {
  const listing = create.listing + remove.listing;
  const reads = create.read + remove.read;
  return {
    provider,
    client: 'zoneproof',
    ...size,
    listing,
    reads,
    creates: create.write,
    removes: remove.write,
    sum: listing + reads + create.write + remove.write,
    syncPolls: create.sync + remove.sync,
    tokens: create.token + remove.token,
  };
}

export function peerRow(peer: PeerFigures, size: Size): RequestRow {
  const { challenges, zones } = size;
  const listing = peer.listing === 'once a zone' ? zones : peer.listing * challenges;
  const [reads, creates, removes] = [peer.reads, peer.creates, peer.removes].map((each) => each * challenges) as [
    number,
    number,
    number,
  ];
  return {
    provider: peer.key,
    client: `${peer.client} ${peer.version}`,
    ...size,
    listing,
    reads,
    creates,
    removes,
    sum: listing + reads + creates + removes,
    syncPolls: peer.followed * looksAtChange * challenges,
    tokens: peer.tokens === 'once' ? 1 : peer.tokens * challenges,
    source: peer.source,
  };
}

const none = { listing: 0, read: 0, write: 0, sync: 0, token: 0 };

const columns: readonly (readonly [title: string, cell: (row: RequestRow) => string | number])[] = [
  ['provider', (row) => row.provider],
  ['client', (row) => row.client],
  ['challenges', (row) => row.challenges],
  ['zones', (row) => row.zones],
  ['listing', (row) => row.listing],
  ['reads', (row) => row.reads],
  ['creates', (row) => row.creates],
  ['removes', (row) => row.removes],
  ['sum', (row) => row.sum],
  ['sync polls', (row) => row.syncPolls],
  ['tokens', (row) => row.tokens],
];

export function requestTable(rows: readonly RequestRow[]): string {
  const lines = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => String(cell(row))))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  const sources = new Map(
    rows.flatMap(({ client, provider, source }) => (source ? [[`${client}, ${provider}`, source]] : [])),
  );
  return [...text, '', ...[...sources].map(([who, source]) => `${who}: ${source}`)].join('\n');
}

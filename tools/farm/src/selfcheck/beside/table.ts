import type { SelfCheckCase } from '../case.ts';
import { selfCheckCases } from '../cases.ts';
import type { BesideRow } from './inside.ts';
import { lasts } from './run-lego.ts';

/** docs/self-check-beside-lego.md. */
export function besideDocument(rows: readonly BesideRow[], legoVersion: string, day: string): string {
  const found = new Map(rows.map((row) => [row.title, row]));
  const sections = selfCheckCases.flatMap(([about, cases]) => {
    const lines = cases.flatMap((one) => {
      const row = found.get(one.title);
      return row === undefined ? [] : [line(one, row)];
    });
    if (lines.length === 0) return [];
    return ['', `## ${about}`, '', `| Case | ${heads.join(' | ')} |`, `|---${'|---'.repeat(heads.length)}|`, ...lines];
  });
  const left = selfCheckCases.flatMap(([, cases]) => cases.filter(({ notForLego }) => notForLego !== undefined));
  return [
    '<!-- Written by tools/farm/src/selfcheck/beside; node tools/farm/dist/selfcheck/beside/beside-lego.js -->',
    "# The self check beside lego's",
    '',
    `The [cases of the self check](self-check-cases.md), put to zoneproof and to the check of lego ${legoVersion} (Debian) on`,
    `${day}. lego runs unchanged, with \`--dns exec\`, the resolvers of the case and a CA that takes every challenge: it passes`,
    'when it hands the challenge to the CA. It runs in a network of its own, in which the name servers of the case have their',
    'addresses and port 53. It waits for 6 seconds longer than the value takes, looking every second. Seconds count from the',
    "value's publication, and for zoneproof they include its second look.",
    '',
    '"Left in resolvers" are denials of the challenge name that a resolver keeps because the check asked it too early; zoneproof',
    'leaves none. lego asks for a CNAME at the challenge name before it writes the value. Its own check does not mind the denial',
    'that this leaves; whoever asks that resolver for the value does, for the negative TTL of the zone.',
    '',
    summary(rows),
    ...sections,
    '',
    '## Not put to lego',
    '',
    ...left.map(({ title, notForLego }) => `- ${title}: ${notForLego}.`),
    '',
  ].join('\n');
}

const heads = ['As it is', 'zoneproof says', 'lego says', 'Right', 'Left in resolvers by lego'];

function line(one: SelfCheckCase, { zoneproof, lego }: BesideRow): string {
  const cells = [
    one.title,
    truth(one),
    zoneproof.verdict === 'visible'
      ? `visible after ${seconds(zoneproof.tookMs / 1000)}`
      : `\`${zoneproof.verdict}\`: ${zoneproof.sentence}`,
    lego.passes ? `passes after ${seconds(lego.seconds)}` : `${lego.says} (gives up after ${lasts(one)} s)`,
    right(one, { zoneproof, lego }),
    String(lego.plantedDenials),
  ];
  return `| ${cells.map((cell) => cell.replaceAll(/[*_|]/g, '\\$&')).join(' | ')} |`;
}

function truth({ stands, verdict, notBeforeMs }: SelfCheckCase): string {
  const is = verdict === 'visible' ? `visible after ${seconds((notBeforeMs ?? 0) / 1000)}` : 'not visible';
  return `${stands}: ${is}`;
}

function right(one: SelfCheckCase, row: Pick<BesideRow, 'zoneproof' | 'lego'>): string {
  const [ours, theirs] = [isRightOfZoneproof(one, row), legoMistake(one, row)];
  if (ours) return theirs === undefined ? 'both' : `zoneproof; lego ${theirs}`;
  return theirs === undefined ? 'lego' : 'neither';
}

function isRightOfZoneproof(one: SelfCheckCase, { zoneproof }: Pick<BesideRow, 'zoneproof'>): boolean {
  return zoneproof.verdict === one.verdict && zoneproof.tookMs >= (one.notBeforeMs ?? 0);
}

function legoMistake(
  { verdict, notBeforeMs = 0 }: SelfCheckCase,
  { lego }: Pick<BesideRow, 'lego'>,
): string | undefined {
  if (verdict !== 'visible') return lego.passes ? 'asks a CA that cannot see the value' : undefined;
  if (!lego.passes) return 'does not find what is there';
  // A tenth of a second for what lies between the hook's end and the instant that it is known here.
  return (lego.seconds ?? 0) * 1000 + 100 < notBeforeMs ? 'asks the CA too early' : undefined;
}

function summary(rows: readonly BesideRow[]): string {
  const cases = new Map(selfCheckCases.flatMap(([, all]) => all.map((one) => [one.title, one] as const)));
  const count = (isRight: (one: SelfCheckCase, row: BesideRow) => boolean) =>
    rows.filter((row) => isRight(cases.get(row.title) as SelfCheckCase, row)).length;
  const [ours, theirs] = [count(isRightOfZoneproof), count((one, row) => legoMistake(one, row) === undefined)];
  const planted = rows.filter(({ lego }) => lego.plantedDenials > 0).length;
  return (
    `Of ${rows.length} cases zoneproof is right in ${ours} and lego in ${theirs}. In ${planted} of them lego left a denial ` +
    'in a resolver.'
  );
}

function seconds(value: number | undefined): string {
  return value === undefined ? '?' : `${value.toFixed(1)} s`;
}

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
    'addresses and port 53. It waits for 6 seconds longer than the value takes, looking every second; both give a server two',
    "seconds for an answer. Seconds count from the value's publication, and for zoneproof they include its second look. Who is",
    'right is judged by what a CA finds on the public servers.',
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
    lego.plantedDenials.length === 0 ? 'none' : `denial of ${lego.plantedDenials.join(', ')}`,
  ];
  return `| ${cells.map((cell) => cell.replaceAll(/[*_|]/g, '\\$&')).join(' | ')} |`;
}

function truth(one: SelfCheckCase): string {
  const finds = caFinds(one);
  const because = one.forTheCa === undefined ? '' : `: ${one.forTheCa.because}`;
  if (finds === undefined) return `${one.stands}. Whether a CA finds the value depends${because}`;
  if (!finds) return `${one.stands}. A CA does not find the value everywhere${because}`;
  const from = one.notBeforeMs === undefined ? '' : ` after ${seconds(one.notBeforeMs / 1000)}`;
  return `${one.stands}. A CA finds the value${from}${because}`;
}

function caFinds({ forTheCa, verdict }: SelfCheckCase): boolean | undefined {
  return forTheCa === undefined ? verdict === 'visible' : forTheCa.finds;
}

function right(one: SelfCheckCase, row: Judged): string {
  if (caFinds(one) === undefined) return 'depends';
  const [ours, theirs] = [mistake(one, passOfZoneproof(row)), mistake(one, passOfLego(row))];
  if (ours === undefined) return theirs === undefined ? 'both' : `zoneproof; lego ${theirs}`;
  return theirs === undefined ? `lego; zoneproof ${ours}` : 'neither';
}

type Judged = Pick<BesideRow, 'zoneproof' | 'lego'>;

/** When a check let the CA go, in milliseconds after the value's publication. */
type Pass = { readonly afterMs: number } | undefined;

function passOfZoneproof({ zoneproof }: Judged): Pass {
  return zoneproof.verdict === 'visible' ? { afterMs: zoneproof.tookMs } : undefined;
}

function passOfLego({ lego }: Judged): Pass {
  return lego.passes ? { afterMs: (lego.seconds ?? 0) * 1000 } : undefined;
}

function mistake(one: SelfCheckCase, pass: Pass): string | undefined {
  if (!caFinds(one)) return pass === undefined ? undefined : 'sends a CA that does not find the value';
  if (pass === undefined) return 'does not find what is there';
  // A tenth of a second for what lies between the hook's end and the instant that it is known here.
  return pass.afterMs + 100 < (one.notBeforeMs ?? 0) ? 'sends the CA too early' : undefined;
}

function summary(rows: readonly BesideRow[]): string {
  const cases = new Map(selfCheckCases.flatMap(([, all]) => all.map((one) => [one.title, one] as const)));
  const clear = rows.flatMap((row) => {
    const one = cases.get(row.title);
    return one === undefined || caFinds(one) === undefined ? [] : [{ one, row }];
  });
  const ours = clear.filter(({ one, row }) => mistake(one, passOfZoneproof(row)) === undefined).length;
  const theirs = clear.filter(({ one, row }) => mistake(one, passOfLego(row)) === undefined).length;
  const planted = rows.filter(({ lego }) => lego.plantedDenials.length > 0).length;
  return (
    `Of ${clear.length} cases in which it is clear what a CA finds, zoneproof is right in ${ours} and lego in ${theirs}.\n` +
    `In ${planted} of all ${rows.length} lego left a denial in a resolver.`
  );
}

function seconds(value: number | undefined): string {
  return value === undefined ? '?' : `${value.toFixed(1)} s`;
}

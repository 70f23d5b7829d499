import type { SelfCheckCase } from './case.ts';
import { selfCheckCases } from './cases.ts';

/** docs/self-check-cases.md. */
export function casesDocument(): string {
  return [
    '<!-- Generated from tools/farm/src/selfcheck; npm run generate. -->',
    '# Cases of the self check',
    '',
    'What a self check meets, and what this one makes of it. Each row is a test: name servers that really listen, each at',
    'an address of its own, are asked by the code that a controller runs. `…` stands for any text. Times count from the',
    "value's publication; where it is not said otherwise, the value is there at once. In each case it is tested, too, that",
    'no resolver is left with a denial of the challenge name because it was asked too early.',
    '',
    "[Beside lego's own check](self-check-beside-lego.md): the same cases, where it can be put to them.",
    ...selfCheckCases.flatMap(([about, cases]) => ['', `## ${about}`, '', ...rows(cases)]),
    '',
  ].join('\n');
}

function rows(cases: readonly SelfCheckCase[]): string[] {
  return [
    '| Case | What stands there | Who is asked | Verdict | Sentence | At most |',
    '|---|---|---|---|---|---|',
    ...cases.map((one) => {
      const [title, stands, asked, sentence] = [one.title, one.stands, one.asked, one.sentence].map(escaped);
      return `| ${[title, stands, asked, verdict(one), sentence, bounds(one)].join(' | ')} |`;
    }),
  ];
}

function verdict({ verdict, notBeforeMs, judgedBy }: SelfCheckCase): string {
  const by = judgedBy === undefined ? '' : ` (${judgedBy})`;
  return `\`${verdict}\`${by}${notBeforeMs === undefined ? '' : `, not before ${notBeforeMs / 1000} s`}`;
}

function escaped(text: string): string {
  return text.replaceAll(/[*_|]/g, '\\$&');
}

function bounds({ atMost: { queries, ms }, speed = 20, tryMs = 2000 }: SelfCheckCase): string {
  const silence = tryMs === 2000 ? '' : `, with ${tryMs} ms for a try`;
  return `${queries} queries; ${ms / 1000} s at ${speed}-fold speed${silence}`;
}

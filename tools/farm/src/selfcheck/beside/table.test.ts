import { serverCases } from '../server-cases.ts';
import type { BesideRow } from './inside.ts';
import { besideDocument } from './table.ts';

const late = serverCases.find(({ title }) => title === 'secondaries lag by seconds');
const wrong = serverCases.find(({ title }) => title === 'written to the wrong zone');
if (late === undefined || wrong === undefined) throw new Error('the cases are others');

test.each([
  ['both pass, in time', late.title, 10, 10, 'both'],
  ['lego passes before the last server has the value', late.title, 10, 3, 'zoneproof; lego sends the CA too early'],
  ['zoneproof does', late.title, 3, 10, 'lego; zoneproof sends the CA too early'],
  ['lego never passes', late.title, 10, undefined, 'zoneproof; lego does not find what is there'],
  ['neither passes', late.title, undefined, undefined, 'neither'],
  ['nothing is there', wrong.title, undefined, undefined, 'both'],
  ['lego passes though', wrong.title, undefined, 1, 'zoneproof; lego sends a CA that does not find the value'],
])('%s', (_what, title, ours, theirs, right) => {
  const text = besideDocument([row(title, ours, theirs)], '4.9.1', '2026-11-21');
  const [line = ''] = text.split('\n').filter((each) => each.startsWith(`| ${title}`));
  expect(line.split(' | ')[4]).toBe(right);
});

function row(title: string, ours: number | undefined, theirs: number | undefined): BesideRow {
  const verdict = ours === undefined ? 'missing' : 'visible';
  return {
    title,
    zoneproof: {
      verdict,
      sentence: '',
      tookMs: (ours ?? 0) * 1000,
      ms: 0,
      queries: 0,
      plantedDenials: 0,
      problem: undefined,
    },
    lego: { passes: theirs !== undefined, seconds: theirs, says: '', wrote: undefined, plantedDenials: ['CNAME'] },
  };
}

import type { SelfCheckCase } from './case.ts';
import { hostileCases } from './hostile-cases.ts';
import { nameCases } from './name-cases.ts';
import { dnssecCases, realCases } from './real-cases.ts';
import { serverCases } from './server-cases.ts';
import { viewCases } from './view-cases.ts';

/** Cases by what they are about. */
export const selfCheckCases: readonly (readonly [about: string, cases: readonly SelfCheckCase[]])[] = [
  ['Servers', serverCases],
  ['Names', nameCases],
  ['Whom to ask', viewCases],
  ['Hostile servers', hostileCases],
  ['Real servers', realCases],
  ['DNSSEC', dnssecCases],
];

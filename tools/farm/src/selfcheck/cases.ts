import type { SelfCheckCase } from './case.ts';
import { nameCases } from './name-cases.ts';
import { serverCases } from './server-cases.ts';

/** Cases by what they are about. */
export const selfCheckCases: readonly (readonly [about: string, cases: readonly SelfCheckCase[]])[] = [
  ['Servers', serverCases],
  ['Names', nameCases],
];

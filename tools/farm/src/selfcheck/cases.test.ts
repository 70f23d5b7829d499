import { requireReal } from '../tools.ts';
import { sentencePattern } from './case.ts';
import { selfCheckCases } from './cases.ts';
import { runCase } from './run-case.ts';

for (const [about, cases] of selfCheckCases)
  describe(about, () => {
    for (const one of cases) {
      const run = one.real === undefined || requireReal(...one.real) ? test : test.skip;
      run(
        one.title,
        async () => {
          const result = await runCase(one);
          if (process.env.SHOW) console.log(one.title, result);
          expect(result.verdict).toBe(one.verdict);
          expect(result.sentence).toMatch(sentencePattern(one.sentence));
          expect(result.tookMs).toBeGreaterThanOrEqual(one.notBeforeMs ?? 0);
          expect(result.queries).toBeLessThanOrEqual(one.atMost.queries);
          expect(result.ms).toBeLessThanOrEqual(one.atMost.ms);
          expect(result.plantedDenials).toBe(one.plants ?? 0);
          expect(result.problem).toBeUndefined();
        },
        30_000,
      );
    }
  });

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type RenewBefore, renewalTime, renewBeforeProblem } from './renewal.ts';

const hour = 3600_000;
const day = 24 * hour;
const certificate = (lifetimeMs: number) => ({ notBefore: 0, notAfter: lifetimeMs });

describe('when to renew', () => {
  test.each<[string, number, RenewBefore | undefined, number]>([
    ['90 days: after two thirds', 90 * day, undefined, 60 * day],
    ['45 days: after two thirds', 45 * day, undefined, 30 * day],
    ['10 days: after two thirds', 9 * day * (10 / 9), undefined, (20 / 3) * day],
    ['160 hours, less than ten days: after half', 160 * hour, undefined, 80 * hour],
    ['renewBefore in time', 90 * day, 20 * day, 70 * day],
    ['renewBefore as a share of the lifetime', 90 * day, { share: 0.1 }, 81 * day],
    ['the share scales with a short lifetime', 160 * hour, { share: 0.25 }, 120 * hour],
    ['a renewBefore as long as the lifetime: the default', 45 * day, 45 * day, 30 * day],
    ['a renewBefore longer than the lifetime: the default', 160 * hour, 30 * day, 80 * hour],
    ['a share of the whole: the default', 90 * day, { share: 1 }, 60 * day],
  ])('%s', (_what, lifetime, renewBefore, expected) => {
    expect(renewalTime(certificate(lifetime), renewBefore)).toBeCloseTo(expected, -1);
  });

  test('a renewBefore that is not shorter than the lifetime is told, with both and what to do', () => {
    expect(renewBeforeProblem(certificate(160 * hour), 30 * day)).toBe(
      'renewBefore (720 h) is not shorter than the lifetime that the CA gave this certificate (160 h); ' +
        'the default is used. Set a shorter one, or a share such as 33%.',
    );
    expect(renewBeforeProblem(certificate(90 * day), 30 * day)).toBeUndefined();
    expect(renewBeforeProblem(certificate(90 * day), { share: 0.5 })).toBeUndefined();
  });

  test.each<[RenewBefore]>([
    [0],
    [-1],
    [Number.NaN],
    [{ share: 0 }],
    [{ share: 1 }],
    [{ share: Number.NaN }],
    [{ share: -0.1 }],
  ])('renewBefore %j is none', (renewBefore) =>
    expect(renewBeforeProblem(certificate(90 * day), renewBefore)).toEqual(expect.any(String)),
  );

  test('whatever is asked, renewal falls strictly inside the lifetime: never at once, never too late', () => {
    const renewBefore = fc.oneof(fc.constant(undefined), fc.double(), fc.record({ share: fc.double() }));
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 400 * day }), renewBefore, (lifetime, before) => {
        const at = renewalTime({ notBefore: 1e12, notAfter: 1e12 + lifetime }, before);
        expect(Number.isInteger(at)).toBe(true);
        expect(at).toBeGreaterThanOrEqual(1e12);
        expect(at).toBeLessThan(1e12 + lifetime);
      }),
      { seed: 7, numRuns: 1000 },
    );
  });
});

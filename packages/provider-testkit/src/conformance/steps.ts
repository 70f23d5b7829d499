import { applySteps } from './apply-steps.ts';
import { badDaySteps } from './bad-day-steps.ts';
import { environmentSteps } from './environment-steps.ts';
import { errorSteps } from './error-steps.ts';
import { onceSteps } from './once-steps.ts';
import { pluginSteps } from './plugin-steps.ts';
import type { Step } from './step.ts';
import { syncSteps } from './sync-steps.ts';
import { checkSteps, zoneSteps } from './zone-steps.ts';

/** One step for each promise of the provider contract, in its order. */
export const steps: readonly Step[] = [
  ...pluginSteps,
  ...errorSteps,
  ...onceSteps,
  ...environmentSteps,
  ...badDaySteps,
  ...applySteps,
  ...zoneSteps,
  ...syncSteps,
  ...checkSteps,
];

import { applySteps } from './apply-steps.ts';
import { errorSteps } from './error-steps.ts';
import { pluginSteps } from './plugin-steps.ts';
import type { Step } from './step.ts';
import { checkSteps, zoneSteps } from './zone-steps.ts';

/** One step for each promise of the provider contract, in its order. */
export const steps: readonly Step[] = [...pluginSteps, ...errorSteps, ...applySteps, ...zoneSteps, ...checkSteps];

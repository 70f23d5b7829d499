import type { Capabilities } from '@zoneproof/core';
import type { Lab } from './lab.ts';

/** One promise of the provider contract, put to the test. */
export interface Step {
  /** The promise's id in the contract: `A1`. */
  readonly id: string;
  /** The promise in a few words. */
  readonly title: string;
  /** A test for each of these: the names of bad days. */
  readonly parts?: readonly string[];
  /** Why these capabilities do not make this promise, or this part of it; undefined when they do. */
  setAside?(capabilities: Capabilities, part: string): string | undefined;
  /** @throws AssertionError that says what was seen instead */
  run(lab: Lab, part: string): Promise<void>;
}

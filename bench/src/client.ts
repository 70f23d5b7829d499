import type { Job } from './jobs.ts';
import type { World } from './world.ts';

/** One certificate: its names. The first one is its common name and the name of its files. */
export type Names = readonly [string, ...string[]];

/** An ACME client that is compared. */
export interface Client {
  readonly name: string;
  version(): Promise<string>;
  /**
   * Prepares `directory`, account at the CA included, and returns the processes to be measured: one per certificate,
   * or one for all.
   */
  plan(world: World, directory: string, certificates: readonly Names[]): Promise<readonly Job[]>;
  /** How many of the certificates lie in `directory`. */
  issued(directory: string, certificates: readonly Names[]): Promise<number>;
}

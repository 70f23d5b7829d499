import { beginAudit, plantForeignValues } from './crash-audit.ts';
import type { Boundary, EndedProcess } from './crash-process.ts';
import { type CrashWorld, startCrashWorld, wrongEnd } from './crash-world.ts';

/** Two Certificates, an apex + wildcard by rfc2136 and a delegated name by acme-dns, that are new or due. */
export const scenarios = ['first issuance', 'renewal'] as const;
export type Scenario = (typeof scenarios)[number];

/** What each run shall issue. */
export const issuances = { 'apex-and-wildcard': 1, app: 1 } as const;

/** Servers of its own, beside which one process runs at a time. */
export interface Lane {
  readonly world: CrashWorld;
  /** The state directory that a scenario begins with; undefined: none. */
  readonly start: Readonly<Record<Scenario, string | undefined>>;
  /** The boundaries that an undisturbed run reaches, in order. */
  readonly visits: Readonly<Record<Scenario, readonly Boundary[]>>;
  /** How long an undisturbed run takes from process start to end. */
  readonly lifeMs: number;
  /** A state directory whose certificates are new. */
  readonly current: string;
}

/** The certificates to be renewed were issued by a process of 61 days ago. */
const longAgoMs = -61 * 86_400_000;

/** Runs each scenario once, undisturbed. @throws when one fails */
export async function openLane(): Promise<Lane> {
  const clock = { offsetMs: longAgoMs, now: () => Date.now() + clock.offsetMs };
  const world = await startCrashWorld({ clock });
  plantForeignValues(world.sandbox);
  const first = await quietRun(world, 'first issuance', undefined, longAgoMs);
  clock.offsetMs = 0;
  const renewal = await quietRun(world, 'renewal', first.stateDir);
  return {
    world,
    start: { 'first issuance': undefined, renewal: first.stateDir },
    visits: { 'first issuance': first.boundaries, renewal: renewal.boundaries },
    lifeMs: (first.lifeMs + renewal.lifeMs) / 2,
    current: renewal.stateDir,
  };
}

async function quietRun(
  world: CrashWorld,
  scenario: Scenario,
  start: string | undefined,
  clockOffsetMs = 0,
): Promise<EndedProcess & { readonly stateDir: string }> {
  const stateDir = await world.newState(start);
  const audit = await beginAudit(world, stateDir, issuances);
  const ended = await world.run(stateDir, { clockOffsetMs }).ended;
  const wrong = [...wrongEnd(ended), ...(await audit.afterwards())];
  if (wrong.length > 0) throw new Error(`${scenario}, undisturbed: ${wrong.join('; ')}`);
  return { ...ended, stateDir };
}

import type { SoaData } from '@zoneproof/dns';
import { withoutAddress } from '../finding.ts';
import type { ServerEvidence, Wanted } from '../types.ts';
import { judge } from '../verdict.ts';
import { isUnconfirmed, tokensAt } from './decide.ts';
import { type Cohort, missesPerSecond, type Question, type Source, type Watched, type ZoneState } from './state.ts';

/** Takes up values to watch. */
export function addWatched(state: ZoneState, wanted: Wanted): Watched {
  const { location, values, presentedAt } = wanted;
  const second = Math.floor(presentedAt / 1000);
  const cohort = state.cohorts.get(second) ?? newCohort(state, second, presentedAt);
  state.cohorts.set(second, cohort);
  const watched: Watched = {
    wanted,
    sought: { target: location.target, zone: state.zone, values },
    cohort,
    rows: state.sources.map(() => undefined),
    askedAt: state.sources.map(() => 0),
    asking: state.sources.map(() => false),
    passedAt: undefined,
    confirmAt: 0,
    visibleAt: undefined,
    isHandedOut: false,
    news: undefined,
    told: undefined,
    toldAt: 0,
  };
  cohort.members.add(watched);
  for (const { pending } of cohort.lanes) pending.add(watched);
  const sharers = state.byTarget.get(location.target) ?? new Set();
  state.byTarget.set(location.target, sharers.add(watched));
  return watched;
}

export function removeWatched(state: ZoneState, watched: Watched): void {
  const { cohort, sought } = watched;
  cohort.members.delete(watched);
  for (const { pending } of cohort.lanes) pending.delete(watched);
  if (cohort.members.size === 0) state.cohorts.delete(cohort.second);
  state.settling.delete(watched);
  const sharers = state.byTarget.get(sought.target);
  sharers?.delete(watched);
  if (sharers?.size === 0) state.byTarget.delete(sought.target);
}

/** Notes that a question is being sent. */
export function beginQuestion(state: ZoneState, question: Question, now: number): void {
  const { source, watched } = question;
  source.tokens = tokensAt(source, now) - 1;
  source.tokensAt = now;
  source.inFlight += 1;
  if (watched === undefined) {
    state.serialsAt = now + serialsEveryMs;
    return;
  }
  const { index } = source;
  watched.askedAt[index] = now;
  watched.asking[index] = true;
  if (question.for === 'probe') source.probing = true;
  if (question.for !== 'scout') return;
  const lane = watched.cohort.lanes[index];
  if (lane === undefined) return;
  lane.asking = true;
  lane.looks += 1;
  lane.nextLookAt = state.rules.nextLookAt(lane.looks, watched.cohort.presentedAt, now);
  source.misses = [...source.misses, now].slice(-missesPerSecond);
}

/** What came of a question: an answer, or the reason why there is none. */
export interface Outcome {
  readonly row: ServerEvidence;
  readonly soa?: SoaData;
}

/**
 * Notes what came of a question that was sent at `askedAt`.
 *
 * @param read what the answer means for others who watch the same target
 * @returns those of whom something is known now that was not before
 */
export function endQuestion(
  state: ZoneState,
  { for: purpose, source, watched }: Question,
  askedAt: number,
  outcome: (of: Watched) => Outcome,
  now: number,
): Iterable<Watched> {
  source.inFlight -= 1;
  if (watched === undefined) return [];
  const { index } = source;
  watched.asking[index] = false;
  if (purpose === 'probe') source.probing = false;
  const lane = watched.cohort.lanes[index];
  if (lane !== undefined && purpose === 'scout') lane.asking = false;
  const { row, soa } = outcome(watched);
  if (soa !== undefined) state.soa = soa;
  if (row.finding === 'unreachable') {
    const isKnown = watched.rows[index]?.finding === 'has' && purpose !== 'confirm';
    // It has answered a later question: this one got lost, and says nothing of the server.
    const isLost = source.answeredAt >= askedAt;
    if (!isKnown) setRow(watched, source, isLost || purpose === 'confirm' ? row : undefined);
    if (isLost) return [watched];
    const isNews = source.silent === undefined;
    source.silent = row;
    source.silentAt = now;
    source.probeAt = now + probeEveryMs;
    return isNews ? everyone(state) : state.settling;
  }

  const wasSilent = source.silent !== undefined;
  source.silent = undefined;
  source.answeredAt = Math.max(source.answeredAt, askedAt);
  if (soa !== undefined) source.serial = soa.serial;
  for (const sharer of state.byTarget.get(watched.sought.target) ?? []) {
    const own = sharer === watched ? row : outcome(sharer).row;
    if (sharer.rows[index]?.finding === 'has' && own.finding !== 'has') source.flickers = true;
    setRow(sharer, source, own);
    if (sharer !== watched) sharer.askedAt[index] = Math.max(sharer.askedAt[index] ?? 0, askedAt);
  }
  if (row.finding === 'has') source.misses = source.misses.filter((at) => at !== askedAt);
  const before = lane?.last;
  if (lane !== undefined && (purpose === 'scout' || purpose === 'probe')) {
    if (row.finding === 'has' || (row.finding === 'lame' && lane.last !== 'lame')) lane.openedAt = askedAt;
    lane.last = row.finding;
  }
  if (wasSilent) return everyone(state);
  if (lane?.last !== before) return watched.cohort.members;
  return state.byTarget.get(watched.sought.target) ?? [];
}

function setRow(watched: Watched, { index }: Source, row: ServerEvidence | undefined): void {
  // Of thousands of looks that show the same, one row is kept, or each would grow old before it is garbage.
  if (!isSameRow(watched.rows[index], row)) watched.rows[index] = row;
  const { members, lanes } = watched.cohort;
  const pending = lanes[index]?.pending;
  if (row?.finding === 'has' || !members.has(watched)) pending?.delete(watched);
  else pending?.add(watched);
}

function isSameRow(one: ServerEvidence | undefined, other: ServerEvidence | undefined): boolean {
  return (
    one?.finding === other?.finding &&
    one?.rcode === other?.rcode &&
    one?.transport === other?.transport &&
    one?.detail === other?.detail &&
    one?.values?.join() === other?.values?.join()
  );
}

/** Notes a serial that was asked for. */
export function noteSerial(state: ZoneState, source: Source, soa: SoaData | undefined): Iterable<Watched> {
  source.inFlight -= 1;
  if (soa === undefined || source.serial === soa.serial) return [];
  source.serial = soa.serial;
  state.soa = soa;
  return everyone(state);
}

const probeEveryMs = 2_000;
const serialsEveryMs = 15_000;

/** What each server shows of the values, or undefined while one has not been asked. */
export function rowsOf(state: ZoneState, watched: Watched): readonly ServerEvidence[] | undefined {
  const rows: ServerEvidence[] = [];
  for (const source of state.sources) {
    const row = rowAt(watched, source);
    if (row === undefined) return undefined;
    rows.push(source.serial === undefined ? row : { ...row, serial: source.serial });
  }
  return [...rows, ...state.unresolved.map(withoutAddress)];
}

function rowAt(watched: Watched, source: Source): ServerEvidence | undefined {
  const own = watched.rows[source.index];
  if (source.silent !== undefined) {
    const isConfirming = watched.passedAt !== undefined && isUnconfirmed(watched, source);
    return own?.finding === 'has' && !isConfirming ? own : source.silent;
  }
  if (own !== undefined) return own.finding === 'unreachable' && watched.asking[source.index] ? undefined : own;
  if (watched.cohort.lanes[source.index]?.last !== 'lacks') return undefined;
  return { ...source.server.who, finding: 'lacks', transport: 'udp', inferred: true, detail: inferredText };
}

/** Why a server is taken to lack a value that it was not asked for. */
const inferredText = 'a value written at the same time is not there yet';

/** Draws the conclusion from all answers so far. */
export function settle(state: ZoneState, watched: Watched, now: number): void {
  const rows = rowsOf(state, watched);
  const verdict = rows && judge(rows);
  const passes = verdict === 'visible' || (verdict === 'unreachable' && state.rules.maySayNothing);
  if (!passes) {
    watched.passedAt = undefined;
    watched.visibleAt = undefined;
    watched.news = verdict;
    state.settling.delete(watched);
    return;
  }
  if (watched.visibleAt !== undefined) return;
  if (watched.passedAt === undefined) pass(state, watched, now);
  if (state.settling.has(watched) && !isConfirmed(state, watched, now)) return;
  state.settling.delete(watched);
  watched.visibleAt = now;
  watched.isHandedOut = false;
  watched.news = 'visible';
}

function pass(state: ZoneState, watched: Watched, now: number): void {
  const { confirmAfterMs, confirmFlickeringAfterMs } = state.rules;
  watched.passedAt = now;
  if (confirmAfterMs === undefined) return;
  const isDoubtful = state.sources.some(({ flickers }) => flickers);
  watched.confirmAt = now + (isDoubtful ? confirmFlickeringAfterMs : confirmAfterMs);
  watched.news = undefined;
  state.settling.add(watched);
  // A silent server has its second chance in the same time.
  for (const source of state.sources) if (source.silent !== undefined) source.probeAt = Math.min(source.probeAt, now);
}

/** Begins to confirm once more what was found visible some time ago. @returns false where nothing is confirmed */
export function confirmAgain(state: ZoneState, watched: Watched, now: number): boolean {
  if (state.rules.confirmAfterMs === undefined) return false;
  watched.visibleAt = undefined;
  watched.news = undefined;
  watched.told = undefined;
  watched.passedAt = now;
  watched.confirmAt = now;
  state.settling.add(watched);
  return true;
}

function isConfirmed(state: ZoneState, watched: Watched, now: number): boolean {
  const { passedAt = 0, confirmAt } = watched;
  if (now < confirmAt) return false;
  return state.sources.every((source) =>
    source.silent === undefined
      ? !watched.asking[source.index] && !isUnconfirmed(watched, source)
      : source.silentAt > passedAt,
  );
}

function* everyone({ cohorts }: ZoneState): Iterable<Watched> {
  for (const { members } of cohorts.values()) yield* members;
}

function newCohort(state: ZoneState, second: number, presentedAt: number): Cohort {
  const lane = () => ({
    pending: new Set<Watched>(),
    looks: 0,
    nextLookAt: state.rules.nextLookAt(0, presentedAt, presentedAt),
    asking: false,
    last: undefined,
    openedAt: 0,
  });
  return { second, presentedAt, members: new Set(), lanes: state.sources.map(lane) };
}

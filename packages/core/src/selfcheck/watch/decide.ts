import {
  burst,
  type Cohort,
  type Lane,
  maxInFlight,
  missesPerSecond,
  perSecond,
  type Question,
  type Source,
  type Watched,
  type ZoneState,
} from './state.ts';

/** What to ask now, and when to decide again if no answer comes before. Pure. */
export interface WatchPlan {
  readonly questions: readonly Question[];
  readonly wakeAt: number | undefined;
}

/**
 * Which questions are due at `now`, and when the next ones will be.
 *
 * A server that showed a value is not asked for it again before the confirmation. Of a cohort one value is looked for
 * at a server until it is there; then each of the others is asked for once. What is missing then is looked for again
 * in the same way.
 */
export function decideWatch(state: ZoneState, now: number): WatchPlan {
  const plan = new Plan(now);
  for (const source of state.sources) {
    if (source.silent !== undefined) decideProbe(state, source, plan);
    else decideSource(state, source, plan);
  }
  decideSerials(state, plan);
  for (const { confirmAt } of state.settling) if (confirmAt > now) plan.wake(confirmAt);
  return { questions: plan.questions, wakeAt: plan.wakeAt };
}

/** True when this source has still to be asked in the confirmation of `watched`. */
export function isUnconfirmed({ askedAt, asking, confirmAt }: Watched, { index }: Source): boolean {
  return !asking[index] && (askedAt[index] ?? 0) < confirmAt;
}

/** What a source may be sent at `now`. */
export function tokensAt({ tokens, tokensAt: since }: Source, now: number): number {
  return Math.min(burst, tokens + ((now - since) * perSecond) / 1000);
}

class Plan {
  readonly questions: Question[] = [];
  readonly now: number;
  wakeAt: number | undefined;

  constructor(now: number) {
    this.now = now;
  }

  wake(at: number): void {
    this.wakeAt = Math.min(this.wakeAt ?? at, at);
  }
}

/** A silent server: one question, for any value that is waited for, tells whether it answers again. */
function decideProbe(state: ZoneState, source: Source, plan: Plan): void {
  if (source.probing) return;
  const watched = anyUnfinished(state);
  if (watched === undefined) return;
  if (source.probeAt <= plan.now) plan.questions.push({ for: 'probe', source, watched });
  else plan.wake(source.probeAt);
}

function decideSource(state: ZoneState, source: Source, plan: Plan): void {
  const tokens = Math.floor(tokensAt(source, plan.now));
  const places = maxInFlight - source.inFlight;
  let room = Math.min(tokens, places);
  for (const question of dueQuestions(state, source, plan)) {
    if (room <= 0) {
      // Where too many questions are under way, their answers wake us; where too many were sent, time does.
      if (tokens <= places) plan.wake(plan.now + refillMs);
      return;
    }
    room -= 1;
    plan.questions.push(question);
  }
}

function* dueQuestions(state: ZoneState, source: Source, plan: Plan): Iterable<Question> {
  for (const watched of state.settling)
    if (watched.confirmAt <= plan.now && isUnconfirmed(watched, source)) yield { for: 'confirm', source, watched };
  for (const cohort of state.cohorts.values())
    for (const watched of unswept(cohort, source)) yield { for: 'verify', source, watched };
  for (const watched of dueScouts(state, source, plan)) yield { for: 'scout', source, watched };
}

const refillMs = (10 * 1000) / perSecond;

/** Members that are asked for one by one, since one of them was found here. */
function* unswept({ lanes }: Cohort, { index }: Source): Generator<Watched> {
  const lane = lanes[index];
  if (lane === undefined || lane.openedAt === 0) return;
  for (const watched of lane.pending)
    if (!watched.asking[index] && (watched.askedAt[index] ?? 0) < lane.openedAt) yield watched;
}

/** The scouts that may be sent now; wakes the plan for the others. */
function dueScouts(state: ZoneState, source: Source, plan: Plan): readonly Watched[] {
  const { now } = plan;
  const due: { readonly lane: Lane; readonly watched: Watched }[] = [];
  for (const cohort of state.cohorts.values()) {
    const lane = cohort.lanes[source.index];
    if (lane === undefined || lane.asking || lane.pending.size === 0) continue;
    if (lane.nextLookAt > now) {
      plan.wake(lane.nextLookAt);
      continue;
    }
    const watched = unswept(cohort, source).next().done ? leastRecentlyAsked(lane, source) : undefined;
    if (watched !== undefined) due.push({ lane, watched });
  }
  const recent = source.misses.filter((at) => now - at < 1000);
  const allowed = Math.max(0, missesPerSecond - recent.length);
  if (due.length > allowed) plan.wake(Math.max(now + 1, (recent[0] ?? now) + 1000));
  // Most servers show first what was written first: when the oldest is there, the next is asked for at once. The others
  // take turns, or values that never come would keep them from being found.
  const first = due.reduce((oldest, { watched }) => Math.min(oldest, watched.cohort.second), Number.POSITIVE_INFINITY);
  const turn = ({ lane, watched }: (typeof due)[number]) => (watched.cohort.second === first ? 0 : lane.nextLookAt);
  due.sort((a, b) => turn(a) - turn(b));
  return due.slice(0, allowed).map(({ watched }) => watched);
}

/** So that one value that never comes does not keep the others of its cohort from being found. */
function leastRecentlyAsked({ pending }: Lane, { index }: Source): Watched | undefined {
  let best: Watched | undefined;
  for (const watched of pending) {
    if (watched.asking[index]) continue;
    if (best === undefined || (watched.askedAt[index] ?? 0) < (best.askedAt[index] ?? 0)) best = watched;
    if (best.askedAt[index] === 0) return best;
  }
  return best;
}

function anyUnfinished({ settling, cohorts }: ZoneState): Watched | undefined {
  for (const watched of settling) return watched;
  for (const { members } of cohorts.values())
    for (const watched of members) if (watched.visibleAt === undefined) return watched;
  return undefined;
}

/** Looks after which a value takes long enough for the serials to be of interest: a few seconds. */
const looksBeforeSerials = 6;

function decideSerials(state: ZoneState, plan: Plan): void {
  // A challenge's own name may be a zone apex, and there nothing but TXT is asked.
  if (!state.rules.asksSerials || state.byTarget.has(state.zone)) return;
  const isLate = [...state.cohorts.values()].some(({ lanes }) =>
    lanes.some(({ looks, last }) => last === 'lacks' && looks >= looksBeforeSerials),
  );
  if (!isLate) return;
  const awake = state.sources.filter(({ silent }) => silent === undefined);
  if (awake.length === 0) return;
  if (state.serialsAt <= plan.now) plan.questions.push(...awake.map((source) => ({ for: 'serial' as const, source })));
  else plan.wake(state.serialsAt);
}

import { createHash } from 'node:crypto';
import type { Exchange } from '@zoneproof/dns';
import type { Clock } from '../../contract/index.ts';
import type { TimerHandle, Timers } from '../../time/index.ts';
import type { Ask } from '../ask.ts';
import { readFinding, readListedFinding, unreachable } from '../finding.ts';
import type { Gate } from '../gate.ts';
import { byOf, reasonOf } from '../look.ts';
import { summarise } from '../summary.ts';
import type { Evidence, ServerEvidence, Sighting, Wanted } from '../types.ts';
import { judge } from '../verdict.ts';
import { decideWatch } from './decide.ts';
import type { Question, Watched, ZoneState } from './state.ts';
import {
  addWatched,
  beginQuestion,
  confirmAgain,
  endQuestion,
  noteSerial,
  type Outcome,
  removeWatched,
  rowsOf,
  settle,
} from './steps.ts';

/** Looks for all values that are wanted in one zone at one set of servers, in shared rounds. */
export interface ZoneWatch {
  readonly size: number;
  add(wanted: Wanted): Watched;
  remove(watched: Watched): void;
  sighting(watched: Watched): Sighting;
  close(): void;
}

export interface ZoneWatchOptions {
  readonly state: ZoneState;
  readonly ask: Ask;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** There is news of `watched`. */
  readonly onNews: (watched: Watched) => void;
  /** The zone's servers may be others by now. Called at most every minute. */
  readonly onDoubt: (watched: Watched) => void;
}

/** Answers that come together are read together. */
const gatherMs = 5;
/** What does not change the verdict is told at this pace. */
const newsEveryMs = 5_000;
/** A value that is there so soon is nobody's trouble before. */
const firstNewsMs = 1_000;
const doubtEveryMs = 60_000;
const firstDoubtMs = 15_000;
/** What was confirmed longer ago is confirmed once more before it is relied on. */
const holdsForMs = 30_000;
/** Rows of evidence that are kept: an Order holds those of each of its names. */
const maxRows = 16;

export function createZoneWatch(options: ZoneWatchOptions): ZoneWatch {
  const { state, ask, gate, clock, timers, signal } = options;
  /** Of whom something may be known that was not told yet, and when it is worth telling. */
  const untold = new Map<Watched, number>();
  let timer: { readonly at: number; readonly handle: TimerHandle } | undefined;
  let pumpedAt = Number.NEGATIVE_INFINITY;
  let doubtAt = 0;
  let size = 0;
  let isClosed = false;

  function wake(at: number): void {
    if (isClosed || (timer !== undefined && timer.at <= at)) return;
    if (timer !== undefined) timers.clearTimeout(timer.handle);
    timer = { at, handle: timers.setTimeout(pump, Math.max(0, at - clock.now())) };
  }

  function soon(): void {
    wake(Math.max(clock.now(), pumpedAt + gatherMs));
  }

  function pump(): void {
    timer = undefined;
    if (isClosed) return;
    const now = clock.now();
    pumpedAt = now;
    const nextNewsAt = tell(now);
    const { questions, wakeAt } = decideWatch(state, now);
    for (const question of questions) {
      beginQuestion(state, question, now);
      void send(question, now);
    }
    for (const at of [wakeAt, nextNewsAt]) if (at !== undefined) wake(Math.max(at, now + 1));
  }

  async function send(question: Question, askedAt: number): Promise<void> {
    const { source, watched } = question;
    const { to, isListed, who } = source.server;
    const asked = watched
      ? { name: watched.sought.target, type: 'TXT' as const }
      : { name: state.zone, type: 'SOA' as const };
    let answer: Exchange | undefined;
    let failure: unknown;
    try {
      const how = { rd: isListed, signal, brief: question.for === 'probe' };
      answer = await gate.run(() => ask(asked, to, how), signal);
    } catch (error) {
      if (signal.aborted) return;
      failure = error;
    }
    if (isClosed) return;
    const now = clock.now();
    const read = isListed ? readListedFinding : readFinding;
    const outcome = ({ sought }: Watched): Outcome =>
      answer === undefined ? { row: unreachable(who, failure) } : read(who, answer, sought);
    const touched =
      watched === undefined
        ? noteSerial(state, source, soaIn(answer))
        : endQuestion(state, question, askedAt, outcome, now);
    for (const one of [...touched]) conclude(one, now);
    if (watched?.rows[source.index]?.finding === 'lame') doubt(watched, now);
    soon();
  }

  function conclude(watched: Watched, now: number): void {
    settle(state, watched, now);
    const { news, told, toldAt, wanted } = watched;
    if (news === undefined) untold.delete(watched);
    else if (news === 'visible' && told?.news !== 'visible') untold.set(watched, now);
    else
      untold.set(watched, Math.max(wanted.presentedAt + firstNewsMs, told?.news === news ? toldAt + newsEveryMs : 0));
  }

  /** Tells what is worth telling, and when there will be more. */
  function tell(now: number): number | undefined {
    let nextAt: number | undefined;
    for (const [watched, at] of untold) {
      if (at > now) {
        nextAt = Math.min(nextAt ?? at, at);
        continue;
      }
      untold.delete(watched);
      const { news } = watched;
      const rows = rowsOf(state, watched);
      if (news === undefined || rows === undefined) continue;
      const picture = pictureOf(rows);
      if (watched.told?.news === news && watched.told.picture === picture) continue;
      watched.told = { news, picture };
      watched.toldAt = now;
      options.onNews(watched);
      if (news !== 'visible' && now - watched.wanted.presentedAt >= firstDoubtMs) doubt(watched, now);
    }
    return nextAt;
  }

  function doubt(watched: Watched, now: number): void {
    if (now < doubtAt) return;
    doubtAt = now + doubtEveryMs;
    options.onDoubt(watched);
  }

  return {
    get size() {
      return size;
    },
    add(wanted) {
      size += 1;
      const watched = addWatched(state, wanted);
      // Whoever comes later knows from the first moment what is known of the servers.
      conclude(watched, clock.now());
      soon();
      return watched;
    },
    remove(watched) {
      size -= 1;
      untold.delete(watched);
      removeWatched(state, watched);
    },
    sighting(watched) {
      const now = clock.now();
      const { visibleAt } = watched;
      const isUsed = visibleAt !== undefined && (watched.isHandedOut || now - visibleAt > holdsForMs);
      if (isUsed && confirmAgain(state, watched, now)) {
        soon();
        return { state: 'waiting' };
      }
      if (watched.visibleAt === undefined && now - watched.wanted.presentedAt >= firstDoubtMs) doubt(watched, now);
      const rows = rowsOf(state, watched);
      if (rows === undefined) return { state: 'waiting' };
      watched.isHandedOut = watched.visibleAt !== undefined;
      return { state: watched.isHandedOut ? 'visible' : 'waiting', evidence: evidenceOf(state, watched, rows, now) };
    },
    close() {
      isClosed = true;
      if (timer !== undefined) timers.clearTimeout(timer.handle);
      timer = undefined;
    },
  };
}

function evidenceOf(state: ZoneState, watched: Watched, rows: readonly ServerEvidence[], now: number): Evidence {
  const { location, values } = watched.wanted;
  const seen = { verdict: judge(rows), zone: state.zone, target: location.target, servers: rows, ...byOf(location) };
  const summary = summarise(seen, {
    wanted: values.length,
    ...(state.soa && { soa: state.soa }),
    ...reasonOf(location),
  });
  const isConfirmed = watched.visibleAt !== undefined || seen.verdict !== 'visible';
  return {
    ...seen,
    servers: mostTelling(rows),
    at: now,
    summary: isConfirmed ? summary : `${summary}; each is asked once more before the CA is`,
  };
}

/** Those first that are in the way. */
function mostTelling(rows: readonly ServerEvidence[]): readonly ServerEvidence[] {
  if (rows.length <= maxRows) return rows;
  const rank = { lacks: 0, unreachable: 1, lame: 1, has: 2 };
  return [...rows].sort((a, b) => rank[a.finding] - rank[b.finding]).slice(0, maxRows);
}

/** What was seen without how long it took, which is another time at each look: as a hash, which ten thousand can keep. */
function pictureOf(rows: readonly ServerEvidence[]): string {
  const text = JSON.stringify(rows.map(({ rttMs: _another, ...row }) => row));
  return createHash('sha1').update(text).digest('base64');
}

function soaIn(answer: Exchange | undefined) {
  const message = answer?.message;
  if (message === undefined || !message.aa) return undefined;
  const soa = message.answers.find(({ type }) => type === 'SOA');
  return soa?.type === 'SOA' ? soa.data : undefined;
}

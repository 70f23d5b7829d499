import type { Clock, RandomBytes, Timers } from '@zoneproof/core';
import type { Report } from '../../reconcile/services.ts';
import type { KubeApi } from '../api.ts';
import { isKubeApiError } from '../api-error.ts';
import { type EventObjectJson, eventJson, type Reporter, seriesPatch } from './event-object.ts';
import { type FindObject, type Told, toldOf } from './told.ts';

export interface EventRecorderOptions {
  readonly api: Pick<KubeApi, 'request'>;
  readonly find: FindObject;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: RandomBytes;
  /** Asked before each write; what it throws drops the Event. */
  readonly beforeSend: () => void;
  /** Told when Events begin to be lost. */
  readonly onProblem: (message: string) => void;
}

/** Makes Events of what the controller reports. Nobody waits for it, and nothing fails when it cannot. */
export interface EventRecorder {
  tell(report: Omit<Report, 'at'>): void;
  /** Writes what is still to be told, for `withinMs` at most; nothing is sent afterwards. */
  close(withinMs: number): Promise<void>;
}

/** One Event and how often the same happened since. */
interface Series {
  readonly event: EventObjectJson;
  count: number;
  lastAt: number;
  /** The count that the API server knows; 0: not even the Event. */
  written: number;
}

/** The same within this time is a repeat. */
const windowMs = 6 * 60_000;
/** Repeats are counted here and written together. */
const flushMs = 60_000;
/** Events that wait to be written; one write takes milliseconds, so this is full only when the API server is away. */
const maxQueue = 1_000;
const maxSeries = 4_000;
/** New ones about one object within the window: the rest is in the log. */
const maxOfObject = 10;
const timeoutMs = 10_000;

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new Recorder(options);
}

class Recorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #abort = new AbortController();
  /** In the order in which they were last seen. */
  readonly #series = new Map<string, Series>();
  readonly #ofObject = new Map<string, { since: number; count: number }>();
  readonly #queue = new Set<Series>();
  #writing: Promise<void> | undefined;
  #flush: unknown;
  #losing = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  tell(report: Omit<Report, 'at'>): void {
    if (this.#abort.signal.aborted) return;
    const told = toldOf(report, this.#options.find);
    if (told === undefined) return;
    const now = this.#options.clock.now();
    const key = JSON.stringify([told.regarding.uid, told.type, told.reason, told.note]);
    const known = this.#series.get(key);
    if (known !== undefined && now - known.lastAt < windowMs) {
      known.count++;
      known.lastAt = now;
      this.#remember(key, known);
      this.#flush ??= this.#options.timers.setTimeout(() => this.#flushSeries(), flushMs);
    } else if (this.#isWithinLimit(told, now)) {
      const suffix = Buffer.from(this.#options.random(8)).toString('hex');
      const event = eventJson(told, now, suffix, this.#options.reporter);
      const series = { event, count: 1, lastAt: now, written: 0 };
      this.#remember(key, series);
      this.#enqueue(series);
    }
  }

  async close(withinMs: number): Promise<void> {
    const { timers } = this.#options;
    timers.clearTimeout(this.#flush);
    this.#flushSeries();
    const limit = timers.setTimeout(() => this.#abort.abort(), withinMs);
    await this.#writing;
    timers.clearTimeout(limit);
    this.#abort.abort();
  }

  #remember(key: string, series: Series): void {
    this.#series.delete(key);
    this.#series.set(key, series);
    if (this.#series.size <= maxSeries) return;
    const [oldest] = this.#series.keys();
    this.#series.delete(oldest as string);
  }

  #isWithinLimit({ regarding: { uid } }: Told, now: number): boolean {
    const known = this.#ofObject.get(uid);
    if (known !== undefined && now - known.since < windowMs) return ++known.count <= maxOfObject;
    this.#ofObject.delete(uid);
    this.#ofObject.set(uid, { since: now, count: 1 });
    if (this.#ofObject.size > maxSeries) this.#ofObject.delete([...this.#ofObject.keys()][0] as string);
    return true;
  }

  #flushSeries(): void {
    this.#flush = undefined;
    for (const series of this.#series.values()) if (series.count > series.written) this.#enqueue(series);
  }

  #enqueue(series: Series): void {
    if (this.#queue.size < maxQueue) this.#queue.add(series);
    else this.#lose('the API server does not take them fast enough');
    this.#writing ??= this.#writeAll();
  }

  /** One after the other: Events are the least of what is to be written. */
  async #writeAll(): Promise<void> {
    for (const series of this.#queue) {
      this.#queue.delete(series);
      try {
        await this.#write(series);
        this.#losing = false;
      } catch (error) {
        if (this.#abort.signal.aborted) break;
        this.#lose(error instanceof Error ? error.message : String(error));
      }
    }
    this.#writing = undefined;
  }

  async #write(series: Series): Promise<void> {
    const { api, beforeSend } = this.#options;
    const { event, count, lastAt } = series;
    // It was queued again while it was being written.
    if (count === series.written) return;
    const all = `/apis/events.k8s.io/v1/namespaces/${encodeURIComponent(event.metadata.namespace)}/events`;
    const call = { beforeSend, timeoutMs, signal: this.#abort.signal };
    if (series.written === 0) {
      const body = count === 1 ? event : { ...event, ...seriesPatch(count, lastAt) };
      await api.request({ method: 'POST', path: all, body, ...call });
    } else
      await api
        .request({
          method: 'PATCH',
          path: `${all}/${encodeURIComponent(event.metadata.name)}`,
          contentType: 'application/merge-patch+json',
          body: seriesPatch(count, lastAt),
          ...call,
        })
        .catch((error: unknown) => {
          // The API server keeps Events for an hour.
          if (!isKubeApiError(error, 'NotFound')) throw error;
        });
    series.written = count;
  }

  #lose(why: string): void {
    if (this.#losing) return;
    this.#losing = true;
    this.#options.onProblem(`Events are lost, the log has what they would have said: ${why}`);
  }
}

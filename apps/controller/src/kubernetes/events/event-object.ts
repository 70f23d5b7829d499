import type { Told } from './told.ts';

/** Times are RFC 3339 with microseconds. */
interface Series {
  readonly count: number;
  readonly lastObservedTime: string;
}

/** An events.k8s.io/v1 Event. */
export interface EventObjectJson {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly series?: Series;
  readonly [field: string]: unknown;
}

/** Who tells: of which program, and which process of it. */
export interface Reporter {
  readonly controller: string;
  readonly instance: string;
}

/** @param at epoch milliseconds @param suffix makes the name one of its own */
export function eventJson(told: Told, at: number, suffix: string, reporter: Reporter): EventObjectJson {
  const { regarding, related, type, reason, action, note } = told;
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: {
      // As Kubernetes itself does for objects without a namespace.
      namespace: regarding.namespace ?? 'default',
      name: `${regarding.name.slice(0, 200).replace(/[-.]+$/, '')}.${suffix}`,
    },
    eventTime: microTime(at),
    reportingController: reporter.controller,
    reportingInstance: reporter.instance.slice(-128),
    type,
    reason,
    action,
    note,
    regarding,
    ...(related !== undefined && { related }),
  };
}

/** Everything but the series of an Event is immutable. */
export function seriesPatch(count: number, lastAt: number): { readonly series: Series } {
  return { series: { count, lastObservedTime: microTime(lastAt) } };
}

function microTime(at: number): string {
  return new Date(at).toISOString().replace('Z', '000Z');
}

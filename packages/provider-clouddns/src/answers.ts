import { jsonObject, ProviderError } from '@zoneproof/core';
import type { Asked } from './errors.ts';

type Fields = Readonly<Record<string, unknown>>;

/** https://cloud.google.com/dns/docs/reference/rest/v1/resourceRecordSets, as {@link readAnswer} lets it through. */
export interface SetResource {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly rrdatas: readonly string[];
  readonly routingPolicy?: unknown;
}

/** What a request asks for. */
export type AnswerForm = 'zones' | 'zone' | 'sets' | 'change';

/**
 * A body of a 2xx as the SDK can digest it: it throws, in a callback of its own, over what lacks a name.
 *
 * @throws ProviderError `unavailable` for what is not what was asked for, and for what is half known: a page of a proxy
 * or a set without its records must not pass for a zone where nothing stands
 */
export function readAnswer(body: string, { at, what, isWrite, answer: form }: Asked): object {
  const answer = jsonObject(body);
  const read = answer && readers[form](answer);
  if (read !== undefined) return read;
  const message = `${at}: the answer to ${what} is none of Cloud DNS. Check endpoint and the proxies on the way.`;
  throw new ProviderError({ kind: 'unavailable', message, sent: isWrite });
}

const readers: Readonly<Record<AnswerForm, (answer: Fields) => Fields | undefined>> = {
  zones(answer) {
    const zones = listIn(answer, 'managedZones', 'dns#managedZonesListResponse');
    // A zone that lacks its name is one that cannot be written to.
    return zones && { ...answer, managedZones: zones.filter(({ name }) => isText(name)) };
  },
  zone: (answer) => (isText(answer.name) && isText(answer.dnsName) ? answer : undefined),
  sets(answer) {
    const sets = listIn(answer, 'rrsets', 'dns#resourceRecordSetsListResponse');
    return sets?.every(isWholeSet) ? { ...answer, rrsets: sets } : undefined;
  },
  change: (answer) =>
    ['kind', 'status', 'additions', 'deletions'].some((member) => answer[member] !== undefined) ? answer : undefined,
};

/** Without the list it has to say that it is one. */
function listIn(answer: Fields, member: string, kind: string): readonly Fields[] | undefined {
  const list = answer[member] ?? (answer.kind === kind ? [] : undefined);
  return Array.isArray(list) ? list.map((one) => (typeof one === 'object' && one !== null ? one : {})) : undefined;
}

/** Of other types than TXT nothing is used. */
function isWholeSet({ name, type, ttl, rrdatas, routingPolicy }: Fields): boolean {
  if (!isText(name) || !isText(type)) return false;
  if (type !== 'TXT' || routingPolicy !== undefined) return true;
  return typeof ttl === 'number' && Array.isArray(rrdatas) && rrdatas.every((one) => typeof one === 'string');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

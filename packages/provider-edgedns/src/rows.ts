import { formatTxt } from '@zoneproof/dns';
import type { RecordResponse } from './sdk.ts';
import { txtValueOf } from './txt-content.ts';

/** One value of the zone: a TXT record at Cloudflare. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  /** Seconds; 1 is automatic. */
  readonly ttl: number;
}

export type NewRow = Omit<Row, 'id'>;

/** A record as it is created. */
export interface Post {
  readonly type: string;
  readonly name: string;
  readonly content?: string;
  readonly ttl: number;
}

/** A record that was deleted. */
export interface DeletedRow {
  readonly id: string;
  /** What it held then, where the answer tells. */
  readonly held?: { readonly name: string; readonly value: string; readonly again: Post };
}

export function toPost({ name, value, ttl }: NewRow): Post {
  return { type: 'TXT', name, content: formatTxt(value), ttl };
}

/** Undefined for what lacks a field that is needed. */
export function toRow(record: Partial<RecordResponse> | null): Row | undefined {
  const { id, name, content, ttl } = (record ?? {}) as Fields;
  if (!isText(id) || !isText(name) || !isText(content)) return undefined;
  return { id, name: name.toLowerCase(), value: txtValueOf(content), ttl: typeof ttl === 'number' ? ttl : 1 };
}

/** What somebody changed may be of another type by now. Undefined for what has no id. */
export function toDeletedRow(record: Partial<RecordResponse> | null): DeletedRow | undefined {
  const fields = (record ?? {}) as Fields;
  const { id, type, name, content = '', ttl } = fields;
  if (!isText(id)) return undefined;
  if (!isText(name) || !isText(type) || !isText(content) || typeof ttl !== 'number') return { id };
  const again = Object.fromEntries(['content', ...ofSomeTypes].map((field) => [field, fields[field]]));
  const value = type === 'TXT' ? txtValueOf(content) : content;
  return { id, held: { name: name.toLowerCase(), value, again: { ...again, type, name, ttl } } };
}

const ofSomeTypes = ['data', 'priority', 'proxied', 'settings', 'comment', 'tags'];

type Fields = Readonly<Record<string, unknown>>;

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

import type { FieldPath } from '../manifests/problem.ts';
import type { Told } from './finding.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** What a rule may look at beside the value: its siblings, and Secrets that were read. */
export interface Around {
  /** All fields of the scope, as cert-manager has them. */
  readonly fields: Fields;
  /** Text of an entry of a Secret that was read; undefined when it was not. */
  secretText(ref: { readonly name: string; readonly key: string }): string | undefined;
}

/** What becomes of one field of cert-manager. The import is carried out by these rules, and docs/ lists them. */
export interface FieldRule {
  /** Below the scope: `privateKey.algorithm`. A rule for a whole object covers everything in it. */
  readonly field: string;
  /** Where it goes, below our scope. Absent: nowhere. */
  readonly to?: string;
  /** Our value; undefined: none. Absent: the value as it is. */
  readonly as?: (value: unknown, around: Around) => unknown;
  /** Our value where cert-manager's field is missing and its default is not ours. */
  readonly missing?: (around: Around) => unknown;
  /** For the table: what is different on the way. */
  readonly remark?: string;
  /** What is said when the value (of those for which `when` holds) has no counterpart. */
  readonly without?: Told & { readonly when?: (value: unknown, around: Around) => boolean };
}

/** Fields of one kind of object, and where they stand. */
export interface Scope {
  /** Below the object: `spec.acme`. */
  readonly at: string;
  /** The same place in our object. */
  readonly to: string;
  readonly rules: readonly FieldRule[];
}

export type Tell = (path: FieldPath, told: Told) => void;

/**
 * Our fields for those of cert-manager. A field that no rule knows is told as left out.
 *
 * @param at where `fields` stands, for `tell`
 */
export function applyRules(
  rules: readonly FieldRule[],
  fields: Fields,
  at: FieldPath,
  tell: Tell,
  secretText: Around['secretText'],
): Fields {
  const around: Around = { fields, secretText };
  const ours: Record<string, unknown> = {};
  for (const rule of rules) {
    const value = valueAt(fields, rule.field.split('.'));
    const { to, as, missing, without } = rule;
    if (value === undefined || value === null) {
      if (to !== undefined && missing !== undefined) put(ours, to.split('.'), missing(around));
      continue;
    }
    if (without !== undefined && (without.when ?? isSet)(value, around))
      tell([...at, ...rule.field.split('.')], without);
    if (to !== undefined) put(ours, to.split('.'), as === undefined ? value : as(value, around));
  }
  for (const path of unknownFields(rules, fields, [])) tell([...at, ...path], unknownField);
  return ours;
}

const unknownField: Told = {
  level: 'left-out',
  why: 'This import knows no such field of cert-manager.io/v1.',
  todo: 'Look up what it does in the documentation of your cert-manager.',
};

/** False, empty texts and empty lists ask for nothing. */
export function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isFields(value)) return Object.keys(value).length > 0;
  return value !== false && value !== '';
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The texts in a list; of anything else none. */
export function textList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function unknownFields(rules: readonly FieldRule[], fields: Fields, above: readonly string[]): readonly string[][] {
  return Object.entries(fields).flatMap(([key, value]) => {
    const path = [...above, key];
    const name = path.join('.');
    if (value === null || rules.some(({ field }) => field === name)) return [];
    const hasMore = rules.some(({ field }) => field.startsWith(`${name}.`));
    return hasMore && isFields(value) ? unknownFields(rules, value, path) : [path];
  });
}

function valueAt(fields: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return fields;
  return isFields(fields) ? valueAt(fields[key], rest) : undefined;
}

function put(fields: Record<string, unknown>, [key, ...rest]: readonly string[], value: unknown): void {
  if (key === undefined || value === undefined) return;
  if (rest.length === 0) fields[key] = value;
  else {
    fields[key] ??= {};
    put(fields[key] as Record<string, unknown>, rest, value);
  }
}

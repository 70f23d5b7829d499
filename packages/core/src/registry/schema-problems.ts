import { isIPv4, isIPv6 } from 'node:net';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { ConfigProblem } from '../contract/index.ts';
import { nearestName } from './nearest-name.ts';

/** A problem with the way to its place, so that a manifest loader can tell the line. */
export interface SchemaProblem extends ConfigProblem {
  /** `['providers', 0, 'rfc2136', 'tsigKeyNam']`. A missing field ends with its own name. */
  readonly keyPath: readonly (string | number)[];
}

/**
 * Everything that is wrong with `value`, in words for people.
 *
 *   path     providers[0].rfc2136.tsigKeyNam
 *   message  unknown field "tsigKeyNam"; did you mean "tsigKeyName"?
 */
export function schemaProblems(schema: object, value: unknown): readonly SchemaProblem[] {
  const validate = compiled(schema);
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  // A union that does not match is one problem, not one for each of its branches.
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  const own = errors.filter(
    (error) => !unions.some((union) => error !== union && error.schemaPath.startsWith(`${union.schemaPath}/`)),
  );
  const problems = own.map((error) => toProblem(error, value));
  return problems.filter((one, at) => problems.findIndex((other) => isSame(one, other)) === at);
}

/** `['providers', 0, 'name']` as `providers[0].name`; the whole value is `''`. */
export function pathText(keyPath: readonly (string | number)[]): string {
  return keyPath.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`;
    return path === '' ? key : `${path}.${key}`;
  }, '');
}

let ajv: Ajv | undefined;
const known = new WeakMap<object, ValidateFunction>();

function compiled(schema: object): ValidateFunction {
  let validate = known.get(schema);
  if (validate === undefined) {
    // The schemas come from code and are checked by tests: checking them at each start would cost as much as all else.
    ajv ??= new Ajv({ allErrors: true, verbose: true, strict: false, formats, meta: false, validateSchema: false });
    validate = ajv.compile(schema);
    known.set(schema, validate);
  }
  return validate;
}

/** The formats that a CRD's structural schema knows too. */
const formats = {
  uri: (text: string) => URL.canParse(text),
  email: /^[^\s@]+@[^\s@]+$/,
  hostname: /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)*\.?$/i,
  ipv4: isIPv4,
  ipv6: isIPv6,
};

const formatNames: Readonly<Record<string, string>> = {
  uri: 'URL',
  email: 'e-mail address',
  hostname: 'host name',
  ipv4: 'IPv4 address',
  ipv6: 'IPv6 address',
};

function toProblem(error: ErrorObject, root: unknown): SchemaProblem {
  const at = keysOf(error.instancePath, root);
  const { keyPath, message } = describe(error, at);
  return { path: pathText(keyPath), keyPath, message, severity: 'error' };
}

function describe(error: ErrorObject, at: readonly (string | number)[]): Pick<SchemaProblem, 'keyPath' | 'message'> {
  const params: Readonly<Record<string, unknown>> = error.params;
  const here = (message: string) => ({ keyPath: at, message });
  const limit = Number(params.limit);
  switch (error.keyword) {
    case 'required': {
      const name = String(params.missingProperty);
      return { keyPath: [...at, name], message: `missing field ${name}` };
    }
    case 'additionalProperties': {
      const name = String(params.additionalProperty);
      const fields = Object.keys(fieldOf(error.parentSchema, 'properties'));
      return { keyPath: [...at, name], message: `unknown field "${shorten(name)}"${suggestion(name, fields)}` };
    }
    case 'type':
      return here(`must be ${wantedType(params.type)}, found ${foundType(error.data)}`);
    case 'enum':
      return here(notOneOf(error.data, listOf(params.allowedValues)));
    case 'const':
      return here(`must be ${JSON.stringify(params.allowedValue)}`);
    case 'anyOf':
    case 'oneOf': {
      const constants = listOf(error.schema).map((branch) => fieldOf(branch, 'const'));
      if (constants.every((constant) => typeof constant === 'string')) return here(notOneOf(error.data, constants));
      return here(params.passingSchemas ? 'fits more than one of the allowed forms' : 'fits none of the allowed forms');
    }
    case 'minLength':
      return here(limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`);
    case 'maxLength':
      return here(`must have at most ${limit} characters`);
    case 'minItems':
      return here(limit === 1 ? 'needs at least one entry' : `needs at least ${limit} entries`);
    case 'maxItems':
      return here(`may have at most ${limit} ${limit === 1 ? 'entry' : 'entries'}`);
    case 'uniqueItems':
      return here(`entries ${Number(params.i) + 1} and ${Number(params.j) + 1} are the same`);
    case 'minProperties':
      return here(`needs at least ${limit} ${limit === 1 ? 'field' : 'fields'}`);
    case 'maxProperties':
      return here(`may have at most ${limit} ${limit === 1 ? 'field' : 'fields'}`);
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return here(`must be ${comparison[String(params.comparison)] ?? params.comparison} ${limit}`);
    case 'multipleOf':
      return here(`must be a multiple of ${params.multipleOf}`);
    case 'pattern':
      return here(`must have the form ${params.pattern}`);
    case 'format':
      return here(`must be ${withArticle(formatNames[String(params.format)] ?? String(params.format))}`);
    default:
      return here(error.message ?? `breaks the rule "${error.keyword}"`);
  }
}

const comparison: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
};

function notOneOf(found: unknown, allowed: readonly unknown[]): string {
  const names = allowed.map(String);
  if (typeof found !== 'string') return `must be one of ${names.join(', ')}, found ${foundType(found)}`;
  const nearest = nearestName(found, names);
  return `"${shorten(found)}" is none of ${names.join(', ')}${nearest === undefined ? '' : `; did you mean "${nearest}"?`}`;
}

function suggestion(word: string, fields: readonly string[]): string {
  const reference = fields.find((field) => field.toLowerCase() === `${word}SecretRef`.toLowerCase());
  if (reference !== undefined) return `; "${reference}" names the entry of a Secret that holds it`;
  const nearest = nearestName(word, fields);
  if (nearest !== undefined) return `; did you mean "${nearest}"?`;
  return fields.length === 0 || fields.length > 12 ? '' : `; known here: ${fields.join(', ')}`;
}

function wantedType(type: unknown): string {
  return (Array.isArray(type) ? type : [type]).map((one) => typeNames[String(one)] ?? String(one)).join(' or ');
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'empty',
};

/** The sort only: what was typed in the wrong place may be a secret. */
function foundType(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'true or false';
  return typeof value === 'object' ? 'an object' : 'a number';
}

/** The JSON pointer's segments; numbers where the value at that place is a list. */
function keysOf(pointer: string, root: unknown): readonly (string | number)[] {
  let at = root;
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => {
      const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(at) ? Number(key) : key;
      at = (at as Record<string | number, unknown> | undefined)?.[step];
      return step;
    });
}

function fieldOf(value: unknown, field: string): object {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined;
  return (found ?? {}) as object;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) && !noun.startsWith('U') ? 'an' : 'a'} ${noun}`;
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}

function isSame(one: SchemaProblem, other: SchemaProblem): boolean {
  return one.path === other.path && one.message === other.message;
}

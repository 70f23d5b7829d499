import { inspect } from 'node:util';
import { secretSchema } from '../resources/index.ts';
import { isRecord, type ManifestHeader } from './header.ts';
import type { ReportProblem } from './problem.ts';
import { reportSchemaProblems } from './schema.ts';

/** What a Secret's manifest holds; `data` does not print. */
export class SecretContent {
  readonly type: string | undefined;
  readonly #data: Readonly<Record<string, Uint8Array>>;

  constructor(type: string | undefined, data: Readonly<Record<string, Uint8Array>>) {
    this.type = type;
    this.#data = data;
  }

  get data(): Readonly<Record<string, Uint8Array>> {
    return this.#data;
  }

  toJSON(): object {
    return { type: this.type, data: Object.fromEntries(Object.keys(this.#data).map((entry) => [entry, '[secret]'])) };
  }

  [inspect.custom](): string {
    return `SecretContent [secret: ${Object.keys(this.#data).join(', ')}]`;
  }
}

/** Reads `data` and `stringData`. Problems name the entry and never its value. */
export function readSecret({ fields }: ManifestHeader, report: ReportProblem): SecretContent {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, status: _status, data, stringData, ...rest } = fields;
  // Entries are looked at here, since the schema's words would show their values.
  const shape = { ...rest, ...emptied('data', data), ...emptied('stringData', stringData) };
  reportSchemaProblems(secretSchema, shape, [], report);
  const entries = { ...readEntries('data', data, report), ...readEntries('stringData', stringData, report) };
  return new SecretContent(typeof rest.type === 'string' ? rest.type : undefined, entries);
}

function emptied(part: string, given: unknown): object {
  return given === undefined || given === null ? {} : { [part]: isRecord(given) ? {} : 'not a mapping' };
}

function readEntries(part: 'data' | 'stringData', given: unknown, report: ReportProblem): Record<string, Uint8Array> {
  const entries: Record<string, Uint8Array> = {};
  for (const [entry, value] of Object.entries(isRecord(given) ? given : {})) {
    if (!/^[-._a-zA-Z0-9]{1,253}$/.test(entry))
      report([part, entry], 'an entry name holds only letters, digits, "-", "_" and ".".');
    const octets = readEntry(part, value);
    if (octets !== undefined) entries[entry] = octets;
    else if (typeof value === 'string')
      report([part, entry], 'the value is not base64; plain text goes under stringData.');
    else report([part, entry], 'the value is not text; write it in quotes.');
  }
  return entries;
}

function readEntry(part: 'data' | 'stringData', value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string') return undefined;
  if (part === 'stringData') return Buffer.from(value, 'utf8');
  const base64 = value.replace(/\s/g, '');
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined;
  return Buffer.from(base64, 'base64');
}

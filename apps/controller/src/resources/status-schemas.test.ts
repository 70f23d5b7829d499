import type { LedgerEntry, Static } from '@zoneproof/core';
import { apiNameOf } from '../crds/times.ts';
import {
  type CertificateStatus,
  certificateStatusSchema,
  type IssuerStatus,
  issuerStatusSchema,
  type OrderStatus,
  orderStatusSchema,
} from './index.ts';

/** A status as an API server has it: instants are texts with names of their own. */
type ApiForm<T> = T extends string
  ? T
  : T extends readonly (infer Element)[]
    ? readonly ApiForm<Element>[]
    : T extends object
      ? {
          readonly [Key in keyof T as Key extends keyof Names ? Names[Key] : Key]: Key extends keyof Names
            ? string
            : ApiForm<T[Key]>;
        }
      : T;
type Names = typeof apiNameOf;
type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;
type Schema<T> = DeepReadonly<T>;

/** The ledger's blocks are kept beside it: crds/ledger-form.ts. */
type Folded = Omit<ApiForm<OrderStatus>, 'ledger'>;
type FoldedSchema = Omit<Schema<Static<typeof orderStatusSchema>>, 'ledger' | 'ledgerBlocks'>;

// A field that the schema lacks would be dropped by the API server: these lines do not compile then.
const _issuer = (value: Required<ApiForm<IssuerStatus>>): Schema<Static<typeof issuerStatusSchema>> => value;
const _certificate = (value: Required<ApiForm<CertificateStatus>>): Schema<Static<typeof certificateStatusSchema>> =>
  value;
const _order = (value: Folded): FoldedSchema => value;
/** `challenges.evidence.servers` and so on: every field there is. */
type PathsOf<T> = T extends string | number | boolean
  ? never
  : T extends readonly (infer Element)[]
    ? PathsOf<Element>
    : T extends object
      ? { [Key in keyof T & string]-?: Key | `${Key}.${PathsOf<NonNullable<T[Key]>>}` }[keyof T & string]
      : never;
type Lost<Whole, Part> = Exclude<PathsOf<Whole>, PathsOf<Part>>;
type Entry = Omit<ApiForm<LedgerEntry>, 'provider'>;
type EntrySchema = NonNullable<Static<typeof orderStatusSchema>['ledger']>[number];
const _lost: [
  Lost<ApiForm<IssuerStatus>, Static<typeof issuerStatusSchema>>,
  Lost<ApiForm<CertificateStatus>, Static<typeof certificateStatusSchema>>,
  Lost<Folded, Static<typeof orderStatusSchema>>,
  Lost<Entry, EntrySchema>,
] extends [never, never, never, never]
  ? true
  : false = true;

interface Node {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
}

function fields(node: Node, path: string): readonly (readonly [string, Node])[] {
  const below = Object.entries(node.properties ?? {}).flatMap(([key, child]) => fields(child, `${path}.${key}`));
  return [[path, node], ...below, ...(node.items === undefined ? [] : fields(node.items, `${path}[]`))];
}

const all = [
  ...fields(issuerStatusSchema as Node, 'issuer'),
  ...fields(certificateStatusSchema as Node, 'certificate'),
  ...fields(orderStatusSchema as Node, 'order'),
];

test('every field is described, and every text and list is bounded', () => {
  const lists = all.filter(([, { type }]) => type === 'array');
  const texts = all.filter(([, { type }]) => type === 'string');
  expect(lists.filter(([, { maxItems }]) => maxItems === undefined)).toEqual([]);
  expect(texts.filter(([, node]) => node.maxLength === undefined && node.enum === undefined)).toEqual([]);
  expect(all.filter(([path, { description = '' }]) => /\.\w+$/.test(path) && !description.endsWith('.'))).toEqual([]);
});

test('instants are the fields that crds/times.ts turns into texts', () => {
  const instants = new Set(
    all.filter(([, { format }]) => format === 'date-time').map(([path]) => path.split('.').at(-1)),
  );
  expect([...instants].sort()).toEqual(Object.values(apiNameOf).sort());
});

import { checkTitles, type Facts, type FindingResult, type Static, Type } from '@zoneproof/core';

const closed = { additionalProperties: false } as const;
const results: readonly FindingResult[] = ['ok', 'warning', 'failed', 'unknown', 'skipped'];
const result = (description: string) => Type.Unsafe<FindingResult>({ type: 'string', enum: results, description });

/** What `zoneproof check -o json` prints. */
export const checkSchema = Type.Object(
  {
    apiVersion: Type.Literal('zoneproof.dev/v1alpha1'),
    kind: Type.Literal('Check'),
    time: Type.String({ format: 'date-time' }),
    result: result('The worst of all; with failed the exit code is 1.'),
    targets: Type.Array(
      Type.Object(
        {
          kind: Type.Unsafe<'Certificate' | 'Issuer' | 'ClusterIssuer' | 'Name'>({
            type: 'string',
            enum: ['Certificate', 'Issuer', 'ClusterIssuer', 'Name'],
          }),
          name: Type.String({ description: 'default/shop, or the bare name.' }),
          names: Type.Array(Type.String(), { description: 'Names to be certified.' }),
          result: result('The worst of its findings.'),
          findings: Type.Array(Type.Integer({ minimum: 0 }), { description: 'Indices into findings.' }),
        },
        closed,
      ),
    ),
    findings: Type.Array(
      Type.Object(
        {
          id: Type.Unsafe<keyof typeof checkTitles>({
            type: 'string',
            enum: Object.keys(checkTitles),
            description: 'A word out of docs/preflight.md.',
          }),
          title: Type.String(),
          about: Type.Object(
            {
              kind: Type.Unsafe<'name' | 'zone' | 'provider' | 'ca'>({
                type: 'string',
                enum: ['name', 'zone', 'provider', 'ca'],
              }),
              name: Type.String(),
            },
            closed,
          ),
          result: result('ok, or what it means for issuance.'),
          detail: Type.String({ description: 'What was seen, where, and what to do.' }),
          facts: Type.Unsafe<Facts>({ type: 'object', description: 'What the sentence rests on, by check.' }),
        },
        closed,
      ),
      { description: 'Each once, however many targets it concerns.' },
    ),
  },
  { ...closed, description: 'What stands in the way of issuance.' },
);
export type CheckReport = Static<typeof checkSchema>;

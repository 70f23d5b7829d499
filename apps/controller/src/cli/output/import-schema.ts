import { type Static, Type } from '@zoneproof/core';

const closed = { additionalProperties: false } as const;
const namespace = Type.Optional(Type.String({ description: 'Absent: none is written, or there is none.' }));
const place = { file: Type.Optional(Type.String()), line: Type.Optional(Type.Integer({ minimum: 1 })) };

const objects = (description: string) =>
  Type.Array(
    Type.Object(
      {
        kind: Type.Unsafe<'Issuer' | 'ClusterIssuer' | 'Certificate'>({
          type: 'string',
          enum: ['Issuer', 'ClusterIssuer', 'Certificate'],
        }),
        namespace,
        name: Type.String(),
        ...place,
      },
      closed,
    ),
    { description },
  );

/** What `zoneproof import cert-manager -o json` prints. */
export const importSchema = Type.Object(
  {
    complete: Type.Boolean({ description: 'Nothing is left out.' }),
    objects: objects('What was taken over, with the place that it comes from when that is a file.'),
    notTaken: objects('What was not; its findings say why.'),
    findings: Type.Array(
      Type.Object(
        {
          level: Type.Unsafe<'left-out' | 'note'>({
            type: 'string',
            enum: ['left-out', 'note'],
            description:
              'left-out: it has no counterpart. note: it is taken over in another form, or nothing depends on it.',
          }),
          object: Type.String({ description: "cert-manager's object: Certificate shop/web" }),
          field: Type.Optional(Type.String({ description: 'Absent: the object as a whole.' })),
          ...place,
          why: Type.String(),
          todo: Type.String({ description: 'What to do about it.' }),
        },
        closed,
      ),
    ),
    secrets: Type.Object(
      {
        written: Type.Array(Type.Object({ namespace, name: Type.String() }, closed), {
          description: 'Secrets that were given and come along.',
        }),
        expected: Type.Array(
          Type.Object(
            {
              namespace,
              name: Type.String(),
              use: Type.Unsafe<'account key' | 'credentials' | 'certificate'>({
                type: 'string',
                enum: ['account key', 'credentials', 'certificate'],
                description: 'What zoneproof reads it for. A certificate is taken over once its Secret is handed over.',
              }),
            },
            closed,
          ),
          { description: 'Secrets that were not given: they have to be there.' },
        ),
      },
      closed,
    ),
    written: Type.Array(Type.String(), { description: 'Files.' }),
  },
  { ...closed, description: "What became of cert-manager's objects." },
);
export type ImportReport = Static<typeof importSchema>;

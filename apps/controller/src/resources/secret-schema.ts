import { Type } from '@zoneproof/core';

const entryName = '^[-._a-zA-Z0-9]+$';

/** A Secret as people write it; beside `data` and `stringData` it has no spec. */
export const secretSchema = Type.Object(
  {
    type: Type.Optional(
      Type.String({ maxLength: 253, default: 'Opaque', description: 'Kind of content; not interpreted.' }),
    ),
    immutable: Type.Optional(
      Type.Boolean({ description: 'Accepted for manifests made for Kubernetes; has no effect here.' }),
    ),
    data: Type.Optional(
      Type.Record(Type.String({ pattern: entryName }), Type.String(), {
        description: 'Entries, in base64.',
        examples: [{ secret: 'c2VzYW1l' }],
      }),
    ),
    stringData: Type.Optional(
      Type.Record(Type.String({ pattern: entryName }), Type.String(), {
        description: 'Entries as plain text; wins over data.',
        examples: [{ secret: 'sesame' }],
      }),
    ),
  },
  { additionalProperties: false, description: 'Credentials, referred to by name and entry.' },
);

import { type TObject, Type } from './type.ts';

/**
 * A `{name, key}` reference to one entry of a Secret (the specification's secret reference).
 * `usedFor` completes "entry holds ...".
 */
export function secretRef(
  usedFor: string,
): TObject<{ name: ReturnType<typeof Type.String>; key: ReturnType<typeof Type.String> }> {
  return Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 253, description: 'Name of the Secret.' }),
      key: Type.String({ minLength: 1, maxLength: 253, description: 'Entry within the Secret.' }),
    },
    { additionalProperties: false, description: `Reference to a Secret; the entry holds ${usedFor}.` },
  );
}

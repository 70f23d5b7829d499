import { Type } from '@zoneproof/core';

// Status schemas describe the form that objects have at an API server (crds/api-form.ts). They list no words that a
// later version may add to: an API server with an older schema would refuse the whole status.

export const closed = { additionalProperties: false } as const;

/** RFC 3339. */
export const time = (description: string) => Type.String({ format: 'date-time', maxLength: 40, description });

/** A word or name, not for sentences. */
export const word = (description: string, maxLength = 253) => Type.String({ maxLength, description });

/** One of some words. */
export const wordOf = <T extends string>(description: string) =>
  Type.Unsafe<T>({ type: 'string', maxLength: 64, description });

export const url = (description: string) => Type.String({ maxLength: 2048, description });

/** One sentence for people; a longer one is cut. */
export const sentence = (description: string) => Type.String({ maxLength: 4096, description });

export const reason = () => word('A word out of docs/conditions.md.', 64);

/** `status.conditions`. */
export const conditionsSchema = Type.Array(
  Type.Object(
    {
      type: word('What it is about, such as Ready.', 64),
      status: Type.Unsafe<'True' | 'False' | 'Unknown'>({
        type: 'string',
        enum: ['True', 'False', 'Unknown'],
        description: 'Whether it is so.',
      }),
      reason: reason(),
      message: sentence('What is the matter and what to do, for people.'),
      observedGeneration: Type.Integer({ minimum: 0, description: 'The metadata.generation that this is about.' }),
      lastTransitionTime: time('When status changed last.'),
    },
    closed,
  ),
  { maxItems: 16, description: 'State as Kubernetes tells it: kubectl wait --for=condition=Ready.' },
);

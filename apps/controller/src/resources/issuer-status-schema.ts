import { Type } from '@zoneproof/core';
import { closed, conditionsSchema, reason, sentence, time, url, word } from './status-fields.ts';

/** `status` of Issuer and ClusterIssuer at an API server. */
export const issuerStatusSchema = Type.Object(
  {
    conditions: Type.Optional(conditionsSchema),
    acme: Type.Optional(
      Type.Object(
        {
          accountURL: Type.Optional(url('The account at the CA.')),
          server: Type.Optional(url('The server that the account belongs to.')),
          keyThumbprint: Type.Optional(word('Thumbprint of the account key (RFC 7638).')),
          termsOfService: Type.Optional(url('The terms of service that were agreed to.')),
          termsOfServiceAgreedTime: Type.Optional(time('When they were agreed to.')),
        },
        { ...closed, description: 'The ACME account.' },
      ),
    ),
    providers: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: word('Name of the provider in the Issuer.', 63),
            block: word("The block's key and the vendor's name."),
            ready: Type.Boolean({ description: 'Whether its last check went well.' }),
            reason: reason(),
            message: sentence('What the check found.'),
          },
          closed,
        ),
        { maxItems: 64, description: 'What the last check of each provider found.' },
      ),
    ),
  },
  { ...closed, description: 'What zoneproof has found and done.' },
);

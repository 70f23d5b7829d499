import { Type } from '@zoneproof/core';
import { closed, conditionsSchema, reason, sentence, time, word } from './status-fields.ts';

/** `status` of a Certificate at an API server. */
export const certificateStatusSchema = Type.Object(
  {
    conditions: Type.Optional(conditionsSchema),
    issuance: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Issuances begun; the next Order is NAME-ISSUANCE.' }),
    ),
    order: Type.Optional(word('Name of the Order that is under way.')),
    issuedFor: Type.Optional(
      word('Hash of what the current certificate was issued for; when spec differs it is issued again.'),
    ),
    notBefore: Type.Optional(time('Begin of validity of the current certificate.')),
    notAfter: Type.Optional(time('End of validity of the current certificate.')),
    serial: Type.Optional(word('Serial number, hexadecimal.')),
    issuer: Type.Optional(word('Who signed it.', 1024)),
    renewalTime: Type.Optional(time('When it is renewed.')),
    renewBefore: Type.Optional(word('The spec.renewBefore that renewalTime follows.', 32)),
    renewalRequestedTime: Type.Optional(time('When somebody asked for a renewal ahead of time.')),
    lastFailure: Type.Optional(
      Type.Object(
        {
          time: time('When the last Order failed.'),
          count: Type.Integer({ minimum: 0, description: 'Failures in a row.' }),
          reason: reason(),
          message: sentence('Why it failed.'),
          retryTime: time('When another is begun.'),
          issuedFor: word('Hash of what it was to be issued for.'),
        },
        { ...closed, description: 'The last failure, until a certificate is stored.' },
      ),
    ),
  },
  { ...closed, description: 'What zoneproof has found and done.' },
);

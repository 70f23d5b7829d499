import { Type } from '@zoneproof/core';
import { closed, conditionsSchema, reason, sentence, time, url, word, wordOf } from './status-fields.ts';
import type { ChallengeStatus, ChallengeSync, OrderStatus } from './types.ts';

const serverEvidenceSchema = Type.Object(
  {
    server: word('Name of the server.', 300),
    address: word('Its address that was asked; empty when none is known.', 64),
    finding: wordOf<'has' | 'lacks' | 'lame' | 'unreachable'>(
      'has: every value is there; lacks: at least one is not; lame: no authority; unreachable: no answer.',
    ),
    transport: wordOf<'udp' | 'tcp' | 'tls' | 'https'>('How it was asked: udp, tcp, tls or https.'),
    rttMs: Type.Optional(Type.Number({ minimum: 0, description: 'Milliseconds until the answer.' })),
    rcode: Type.Optional(word('Response code.', 64)),
    aa: Type.Optional(Type.Boolean({ description: 'Whether the answer was authoritative.' })),
    serial: Type.Optional(Type.Integer({ minimum: 0, description: "The zone's SOA serial there." })),
    values: Type.Optional(Type.Array(word('One value.', 64), { maxItems: 16, description: 'Values seen, shortened.' })),
    alias: Type.Optional(word('Name that the asked one is an alias of there.')),
    inferred: Type.Optional(
      Type.Unsafe<true>({
        type: 'boolean',
        description: 'Not asked for these values: it lacks one that was written at the same time.',
      }),
    ),
    detail: Type.Optional(sentence('What the server said, or why there is no answer.')),
  },
  closed,
);

const evidenceSchema = Type.Object(
  {
    verdict: wordOf<'visible' | 'missing' | 'unreachable'>('visible, missing or unreachable.'),
    time: time('When the servers were asked.'),
    zone: word('Zone whose servers were asked.'),
    target: word('Name that was asked for, after CNAMEs.'),
    by: Type.Optional(wordOf<'resolver'>('resolver: only listed servers were asked.')),
    servers: Type.Array(serverEvidenceSchema, { maxItems: 64, description: 'What each server answered.' }),
    summary: sentence('What is missing where, and what to do.'),
  },
  { ...closed, description: 'The last look of the self check.' },
);

const challengeSchema = Type.Object(
  {
    authorizationURL: url('The authorization at the CA.'),
    domain: word('The identifier without "*.".'),
    wildcard: Type.Boolean({ description: 'Whether it is for the wildcard.' }),
    authorization: wordOf<ChallengeStatus['authorization']>("The authorization's status at the CA (RFC 8555 7.1.6)."),
    expirationTime: Type.Optional(time('When the authorization ends.')),
    challengeURL: Type.Optional(url('The dns-01 challenge at the CA.')),
    value: Type.Optional(word('The TXT value.')),
    provider: Type.Optional(word('Name of the provider that writes it.', 63)),
    target: Type.Optional(word('Name it is written at, after CNAMEs.')),
    zone: Type.Optional(word('Zone it is written to.')),
    step: wordOf<ChallengeStatus['step']>('How far it is: new, presented, visible, responded, validated or failed.'),
    presentedTime: Type.Optional(time('When it was written.')),
    sync: Type.Optional(
      Type.Object(
        {
          account: word("The provider's account that the receipt belongs to.", 2048),
          receipt: Type.Object(
            {
              kind: word('What it is.', 64),
              token: Type.String({ maxLength: 4096, description: "The vendor's handle." }),
            },
            { ...closed, description: 'The change in flight.' },
          ),
          since: time('When the service took the change.'),
          state: wordOf<ChallengeSync['state']>('pending, synced or unknown.'),
          reason: Type.Optional(sentence('Why the DNS alone tells.')),
        },
        { ...closed, description: "The provider's own signal that its servers have the value." },
      ),
    ),
    evidence: Type.Optional(evidenceSchema),
    looks: Type.Optional(Type.Integer({ minimum: 0, description: 'Looks of the self check so far.' })),
    error: Type.Optional(sentence('Why it failed.')),
    errorType: Type.Optional(word("The CA's word for it (RFC 8555 6.7).")),
  },
  closed,
);

const ledgerEntrySchema = Type.Object(
  {
    id: word('Distinguishes entries.', 1024),
    owner: word('Who wants the value: NAMESPACE/ORDER.', 512),
    block: Type.Integer({ minimum: 0, description: 'Which of ledgerBlocks it was written through.' }),
    account: word('The account at the service.', 4096),
    zone: Type.Object(
      { id: word('Id of the zone at the service.', 2048), name: word('Its name.') },
      { ...closed, description: 'The zone.' },
    ),
    name: word('Name of the TXT record.'),
    value: word('The value.', 512),
    ttl: Type.Integer({ minimum: 0, description: 'Seconds.' }),
    since: time('When it was first intended.'),
    evictable: Type.Optional(Type.Boolean({ description: 'The next write at this name may remove it (acme-dns).' })),
  },
  closed,
);

const ledgerBlockSchema = Type.Object(
  {
    issuer: word('The Issuer that declares it: KIND/NAMESPACE/NAME.', 512),
    name: word('Name of the provider in that Issuer.', 63),
    key: word("The block's key.", 63),
    // The fields are those of the provider package, which may be another one by now.
    config: Type.Unsafe<object>({ type: 'object', description: "The block's fields; Secrets are references." }),
  },
  closed,
);

/** `status` of an Order at an API server. */
export const orderStatusSchema = Type.Object(
  {
    conditions: Type.Optional(conditionsSchema),
    result: Type.Optional(wordOf<'valid' | 'failed'>('valid or failed, once it is over.')),
    acme: Type.Optional(
      Type.Object(
        {
          orderURL: url('The order at the CA.'),
          finalizeURL: url('Where the certificate is asked for.'),
          certificateURL: Type.Optional(url('Where the certificate is.')),
          status: wordOf<NonNullable<OrderStatus['acme']>['status']>("The order's status at the CA (RFC 8555 7.1.6)."),
          expirationTime: Type.Optional(time('When the order ends.')),
        },
        { ...closed, description: 'The order at the CA.' },
      ),
    ),
    accountURL: Type.Optional(url('The account that the order belongs to.')),
    challenges: Type.Optional(
      Type.Array(challengeSchema, { maxItems: 200, description: 'One for each authorization of the order.' }),
    ),
    ledger: Type.Optional(
      Type.Array(ledgerEntrySchema, {
        maxItems: 1000,
        description: 'TXT values of ours that may be in a zone; each is removed before the Order goes.',
      }),
    ),
    ledgerBlocks: Type.Optional(
      Type.Array(ledgerBlockSchema, {
        maxItems: 200,
        description:
          'Provider blocks that values were written through, so that they can be removed when the Issuer is gone.',
      }),
    ),
    certificate: Type.Optional(
      Type.String({ maxLength: 262_144, description: 'The chain (PEM), until the Certificate has taken it.' }),
    ),
    waiting: Type.Optional(
      Type.Object(
        {
          reason: reason(),
          message: sentence('What it waits for.'),
          until: Type.Optional(time('When it is tried again.')),
        },
        { ...closed, description: 'What stands in the way.' },
      ),
    ),
    cleanUp: Type.Optional(
      Type.Object(
        { reason: reason(), message: sentence('What stands in the way.'), until: time('When it is tried again.') },
        { ...closed, description: 'Why a value of ours is still in a zone.' },
      ),
    ),
    failure: Type.Optional(
      Type.Object(
        { reason: reason(), message: sentence('Why it failed.'), retryTime: Type.Optional(time('Not before.')) },
        { ...closed, description: 'Why the Order failed.' },
      ),
    ),
  },
  { ...closed, description: 'How far the order is.' },
);

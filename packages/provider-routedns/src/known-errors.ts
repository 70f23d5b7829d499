import type { KnownError } from '@zoneproof/core';

/** For the docs: what users meet, and what to do. */
export const knownErrors: readonly KnownError[] = [
  {
    kind: 'auth',
    seen: 'InvalidClientTokenId',
    advice: 'check accessKeyID: complete, active, and of the partition of region',
  },
  {
    kind: 'auth',
    seen: 'SignatureDoesNotMatch',
    advice:
      'the secret access key is not the one of this access key id, or the clock is off: the message tells by how much',
  },
  {
    kind: 'auth',
    seen: 'ExpiredToken',
    advice: 'renew the session in AWS_SESSION_TOKEN; those of roles are fetched anew',
  },
  { kind: 'auth', seen: 'no AWS credentials around here', advice: 'give the controller a role, or set the key fields' },
  {
    kind: 'permission',
    seen: 'AccessDenied',
    advice: 'allow the action on the resource that the message names; "zoneproof policy routedns" prints the policy',
  },
  {
    kind: 'permission',
    seen: 'not as zoneproof left them',
    advice: 'allow route53:ListResourceRecordSets ("zoneproof policy routedns --merge"), or remove those TXT records',
  },
  {
    kind: 'zone-not-found',
    seen: 'NoSuchHostedZone',
    advice: 'check hostedZoneID, and that the credentials belong to its account',
  },
  {
    kind: 'zone-not-found',
    seen: 'is not permitted in zone',
    advice: 'hostedZoneID names a zone that does not hold the name',
  },
  {
    kind: 'invalid',
    seen: 'no TXT value can be added',
    advice: 'a CNAME or sets with a routing policy stand there; remove them or delegate',
  },
  {
    kind: 'conflict',
    seen: 'PriorRequestNotComplete',
    advice: 'another change of the zone is under way; repeated by itself',
  },
  {
    kind: 'rate-limited',
    seen: 'Throttling',
    advice: 'the limit is that of the AWS account; repeated by itself, more slowly',
  },
  { kind: 'quota', seen: 'LimitsExceeded', advice: 'remove records that are not needed, or have AWS raise the quota' },
  {
    kind: 'unavailable',
    seen: '5xx, no answer, a page of a proxy',
    advice: 'repeated by itself; check endpoint if it lasts',
  },
];

import type { KnownError, Permission } from '@zoneproof/core';

const on = 'the project, or each managed zone';

/** https://cloud.google.com/dns/docs/access-control#permissions; the role roles/dns.admin has them all, and more. */
export const permissions: readonly Permission[] = [
  { name: 'dns.changes.create', on, need: 'always', why: 'every write is a change' },
  { name: 'dns.resourceRecordSets.create', on, need: 'always', why: 'a change that adds a TXT set' },
  { name: 'dns.resourceRecordSets.delete', on, need: 'always', why: 'a change that removes a TXT set' },
  {
    name: 'dns.resourceRecordSets.update',
    on,
    need: 'always',
    why: 'a change of a TXT set that holds other values, too: the wildcard of the same name, other clients',
  },
  {
    name: 'dns.resourceRecordSets.list',
    on,
    need: 'always',
    why: 'reading what stands at a name once a change was refused',
  },
  {
    name: 'dns.managedZones.list',
    on: 'the project',
    need: 'optional',
    why: 'finding the zone of a name; not needed when managedZone names it',
  },
  { name: 'dns.managedZones.get', on, need: 'optional', why: 'only when managedZone names the zone' },
  {
    name: 'dns.changes.get',
    on,
    need: 'optional',
    why: 'learning when a change has reached the name servers; without it the self check alone tells',
  },
];

export const knownErrors: readonly KnownError[] = [
  {
    kind: 'auth',
    seen: 'invalid_grant, "Invalid JWT Signature"',
    advice: 'The key was deleted: create a new one and store it in the Secret.',
  },
  { kind: 'auth', seen: 'invalid_grant, "account not found"', advice: 'The service account was deleted or disabled.' },
  {
    kind: 'auth',
    seen: 'invalid_grant, "Token must be a short-lived token"',
    advice: 'The clock of the machine is off: correct it (NTP).',
  },
  { kind: 'auth', seen: 'the Secret is missing, or is no key file of a service account', advice: 'Repair the Secret.' },
  { kind: 'auth', seen: '401 authError', advice: 'Check that the service account exists and is enabled.' },
  {
    kind: 'permission',
    seen: '403 forbidden',
    advice: 'Google does not say what is missing: the message names the permission that the request needs.',
  },
  { kind: 'permission', seen: '403 accessNotConfigured', advice: 'Enable the Cloud DNS API in the project.' },
  { kind: 'permission', seen: '403 inactiveBillingState', advice: 'Link the project to a billing account.' },
  {
    kind: 'permission',
    seen: '403 insufficientPermissions',
    advice: 'Give the virtual machine or node pool the scope cloud-platform.',
  },
  { kind: 'zone-not-found', seen: '404 notFound', advice: 'Check project and managedZone.' },
  {
    kind: 'conflict',
    seen: '409 alreadyExists, 412 conditionNotMet',
    advice: 'Another client wrote to the same name; repeated by itself.',
  },
  {
    kind: 'invalid',
    seen: '400 cnameResourceRecordSetConflict',
    advice: 'A CNAME stands at the name: let it lead into a zone of some provider block, or remove it.',
  },
  {
    kind: 'invalid',
    seen: 'a TXT set with a routing policy',
    advice: 'Remove the policy, or let the name be a CNAME.',
  },
  {
    kind: 'quota',
    seen: '403 quotaExceeded, 413',
    advice: 'A zone or a TXT set is full: remove something or have the quota raised.',
  },
  { kind: 'rate-limited', seen: '429 or 403 rateLimitExceeded', advice: 'Repeated by itself, more slowly.' },
  {
    kind: 'unavailable',
    seen: '5xx, no answer, a page of a proxy',
    advice: 'Repeated by itself; check endpoint and proxies when it lasts.',
  },
];

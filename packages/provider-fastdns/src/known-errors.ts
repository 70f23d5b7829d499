import type { KnownError, Permission } from '@zoneproof/core';

/** https://techdocs.akamai.com/edge-dns/reference/get-started */
export const permissions: readonly Permission[] = [
  {
    name: 'API service DNS-Zone Record Management, READ-WRITE',
    on: 'the API client',
    need: 'always',
    why: 'To list zones, and to read and write record sets and change lists. READ-ONLY is enough for the check only.',
  },
  {
    name: 'a role that may add, edit and view DNS records',
    on: 'the groups that hold the zones, and no others',
    need: 'always',
    why: 'Zones of other groups are not seen, or are refused with 403.',
  },
  {
    name: 'use of other accounts by this API client',
    on: 'the API client',
    need: 'optional',
    why: 'Only with `accountSwitchKey`: to work in an account other than its own.',
  },
];

/** What a person meets, and what to do; the messages themselves are made in errors.ts. */
export const knownErrors: readonly KnownError[] = [
  {
    kind: 'auth',
    seen: '401 "The signature does not match"',
    advice: 'Take client token, client secret and access token from the credential of one API client.',
  },
  {
    kind: 'auth',
    seen: '401 "Inactive client token"',
    advice: 'The credential has expired or was deactivated: make a new one in Identity & Access.',
  },
  { kind: 'auth', seen: '400 "Invalid timestamp"', advice: 'Set the clock right (NTP): Akamai allows 30 s.' },
  { kind: 'auth', seen: 'an entry holds the text of .edgerc, or spaces', advice: 'Put only the value into the entry.' },
  {
    kind: 'permission',
    seen: '403 `pep-authz/deny`',
    advice: 'Give the API client the service "DNS-Zone Record Management" with READ-WRITE.',
  },
  {
    kind: 'permission',
    seen: '403 `forbidden`',
    advice: "Give the API client's role write access in the group of the zone.",
  },
  {
    kind: 'permission',
    seen: '403 and an HTML page',
    advice: 'Check `serviceConsumerDomain` and the IP access list of the API client.',
  },
  {
    kind: 'zone-not-found',
    seen: '404 `notFound`',
    advice: 'Check that the zone is in this account (`accountSwitchKey`), and that the API client may see it.',
  },
  {
    kind: 'invalid',
    seen: '400, for example a CNAME at the name',
    advice: 'Do what the message says; a CNAME and TXT records cannot share a name.',
  },
  {
    kind: 'conflict',
    seen: '409 `concurrentZoneModification`, or a stale change list',
    advice: 'Nothing: it is tried again by itself.',
  },
  {
    kind: 'unavailable',
    seen: 'a change list with other changes',
    advice: 'Submit or discard it in Akamai Control Center; better, make an API client for zoneproof alone.',
  },
  {
    kind: 'rate-limited',
    seen: '429, or 400 "WAF deny rule"',
    advice: 'Nothing: it is repeated by itself, after Retry-After or X-RateLimit-Next.',
  },
  { kind: 'quota', seen: '400 about a limit', advice: 'Remove record sets, or ask Akamai to raise the limit.' },
  {
    kind: 'unavailable',
    seen: '5xx, an HTML page with a reference number, no answer',
    advice: 'Nothing at first: it is repeated by itself. Give the reference number to Akamai when it lasts.',
  },
];

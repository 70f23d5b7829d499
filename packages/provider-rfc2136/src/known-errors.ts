import type { KnownError, Permission } from '@zoneproof/core';

/** What the server has to allow. */
export const permissions: readonly Permission[] = [
  {
    name: 'update',
    on: 'TXT records at the challenge names, for the TSIG key (`update-policy` of BIND, an `acl` with `action: update` of Knot DNS, `TSIG-ALLOW-DNSUPDATE` of PowerDNS)',
    need: 'always',
    why: 'Values are added and deleted one by one.',
  },
  {
    name: 'query',
    on: 'the zone, from the address of zoneproof',
    need: 'always',
    why: 'SOA questions find the zone, TXT questions tell what is there before and after an update.',
  },
];

/** What a person meets, and what to do; the messages themselves are made in errors.ts. */
export const knownErrors: readonly KnownError[] = [
  {
    kind: 'auth',
    seen: 'NOTAUTH with BADKEY, BADSIG or BADTRUNC; an answer without a valid signature',
    advice: "Compare key name, algorithm and secret with the server's key file.",
  },
  {
    kind: 'auth',
    seen: "NOTAUTH with BADTIME although the update was signed by the server's clock",
    advice: 'Set the clocks of both machines.',
  },
  {
    kind: 'auth',
    seen: 'REFUSED or NOTAUTH without a signature (Knot DNS, PowerDNS)',
    advice: 'Check that the key exists there, and what it may change.',
  },
  {
    kind: 'permission',
    seen: 'REFUSED; queries refused',
    advice: 'Change `update-policy`, `allow-update` or the ACL there; let zoneproof query the zone.',
  },
  {
    kind: 'zone-not-found',
    seen: 'NOTAUTH with a good signature, NOTZONE, a delegation at or above the name',
    advice: 'Set `nameserver` to the primary of the zone.',
  },
  {
    kind: 'action-required',
    seen: 'the name is a CNAME there',
    advice: 'Remove it, or let it lead to a name that a provider can write.',
  },
  { kind: 'invalid', seen: 'NOTIMP, FORMERR', advice: 'The server has no dynamic updates: name one that has.' },
  { kind: 'conflict', seen: 'YXDOMAIN, YXRRSET, NXRRSET', advice: 'Nothing: it is applied again at once.' },
  {
    kind: 'unavailable',
    seen: 'SERVFAIL, no answer, an accepted update that cannot be seen',
    advice: "Nothing at first: it is repeated by itself. The server's log says why.",
  },
];

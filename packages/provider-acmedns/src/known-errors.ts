import type { KnownError } from '@zoneproof/core';

/** What a person meets, and what to do; the messages themselves are made in errors.ts. */
export const knownErrors: readonly KnownError[] = [
  {
    kind: 'action-required',
    seen: 'the CNAME is missing or leads elsewhere',
    advice: 'Create the record in the message.',
  },
  {
    kind: 'auth',
    seen: '401',
    advice:
      'Compare the credentials document with what /register answered: acme-dns says so to a wrong user name, a wrong password, an address outside `allowfrom` and a foreign subdomain alike.',
  },
  {
    kind: 'auth',
    seen: 'the Secret or the account is not there, the document is not JSON',
    advice: 'Repair the Secret.',
  },
  { kind: 'permission', seen: '403', advice: 'Check the access rules of what stands before acme-dns.' },
  {
    kind: 'invalid',
    seen: '400, a redirect, a value that is not 43 characters of base64url',
    advice: 'Check `host`.',
  },
  {
    kind: 'quota',
    seen: 'two values in the account that are still needed',
    advice: 'Register an account for one of the domains.',
  },
  { kind: 'rate-limited', seen: '429', advice: 'Nothing: it is repeated by itself, after Retry-After.' },
  {
    kind: 'unavailable',
    seen: '404, 5xx, no answer, a value that is taken and not published',
    advice: 'Nothing at first: it is repeated by itself. Check `host` and `nameserver` when it lasts.',
  },
];

import { isObject, type VerifiedRequest, verifyBinding } from './jws.ts';
import { Problem } from './problem.ts';
import type { Account, Answer, Ca } from './state.ts';

/** newAccount (RFC 8555 7.3): 201 for a new one, 200 for the one this key already has. */
export async function newAccount(ca: Ca, request: VerifiedRequest): Promise<Answer> {
  const { payload, key } = request;
  if (!isObject(payload)) throw new Problem('malformed', 'newAccount takes a JSON object');
  const known = ca.accountsByThumbprint.get(key.thumbprint);
  if (known) {
    requireValid(known);
    return accountAnswer(ca, known, 200);
  }
  if (payload.onlyReturnExisting === true)
    throw new Problem('accountDoesNotExist', 'no account has this key, and onlyReturnExisting is set');
  if (ca.termsOfService !== undefined && payload.termsOfServiceAgreed !== true)
    throw new Problem('userActionRequired', `agree to the terms of service at ${ca.termsOfService}`, {
      headers: { link: `<${ca.termsOfService}>;rel="terms-of-service"` },
      members: { instance: ca.termsOfService },
    });
  const contact = readContact(payload.contact);
  const eabKeyId = await readBinding(ca, request, payload.externalAccountBinding);
  // Two newAccount requests with one key may have met at the await above: the second one finds the first one's.
  const meanwhile = ca.accountsByThumbprint.get(key.thumbprint);
  if (meanwhile) return accountAnswer(ca, meanwhile, 200);

  const account: Account = { id: ca.nextId(), key, eabKeyId, status: 'valid', contact };
  ca.accounts.set(account.id, account);
  ca.accountsByThumbprint.set(key.thumbprint, account);
  ca.counts.accounts++;
  return accountAnswer(ca, account, 201);
}

/** The account URL: read, change of contact, deactivation (RFC 8555 7.3.2, 7.3.6). */
export function updateAccount(ca: Ca, account: Account, payload: unknown): Answer {
  if (payload !== undefined) {
    if (!isObject(payload)) throw new Problem('malformed', 'an account update is a JSON object');
    if (payload.contact !== undefined) account.contact = readContact(payload.contact);
    if (payload.status === 'deactivated') account.status = 'deactivated';
  }
  return accountAnswer(ca, account, 200);
}

/** @throws Problem unauthorized with 401 (RFC 8555 7.3.6) */
export function requireValid(account: Account): void {
  if (account.status !== 'valid') throw new Problem('unauthorized', 'the account is deactivated', { status: 401 });
}

function accountAnswer(ca: Ca, account: Account, status: number): Answer {
  return {
    status,
    headers: { location: ca.resources.account(account.id) },
    body: { status: account.status, contact: account.contact, termsOfServiceAgreed: true },
  };
}

function readContact(contact: unknown): readonly string[] {
  if (contact === undefined) return [];
  if (!Array.isArray(contact)) throw new Problem('malformed', '"contact" is no array');
  for (const url of contact) {
    if (typeof url !== 'string' || !/^[a-z][a-z0-9+.-]*:/i.test(url))
      throw new Problem('invalidContact', `the contact ${JSON.stringify(url)} is no URL`);
    if (!url.startsWith('mailto:')) throw new Problem('unsupportedContact', `the contact ${url} is no mailto URL`);
    // RFC 8555 7.3: no hfields, no more than one address.
    if (!/^mailto:[^\s?,@]+@[^\s?,@]+$/.test(url))
      throw new Problem('invalidContact', `the contact ${url} is not exactly one address`);
  }
  return contact as string[];
}

async function readBinding(ca: Ca, request: VerifiedRequest, binding: unknown): Promise<string | undefined> {
  if (ca.eab === undefined) return undefined;
  if (binding === undefined)
    throw new Problem('externalAccountRequired', 'this CA opens accounts only with an external account binding');
  return verifyBinding(binding, { url: ca.resources.newAccount, key: request.key, hmacKeys: ca.eab });
}

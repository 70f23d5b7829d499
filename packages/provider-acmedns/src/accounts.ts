import { SecretValue } from '@zoneproof/core';
import { type DnsName, DnsNameError, parentOf, toDnsName } from '@zoneproof/dns';

/** One acme-dns account. */
export interface Account {
  readonly username: string;
  readonly password: SecretValue;
  /** Where the challenge values are published. */
  readonly fulldomain: DnsName;
  readonly subdomain: string;
}

/** Names the domain and the member that is wrong, never a user name or a password. */
export interface DocumentProblem {
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

export type Accounts = ReadonlyMap<DnsName, Account>;

/**
 * Reads a credentials document: a JSON object whose keys are domains. Members that it does not know are passed over
 * (`allowfrom`, `server_url` of goacmedns files), and so is `*.` before a domain. Bad entries are left out and named.
 * Pure; never throws.
 */
export function readAccounts(text: string): {
  readonly accounts: Accounts;
  readonly problems: readonly DocumentProblem[];
} {
  const accounts = new Map<DnsName, Account>();
  const problems: DocumentProblem[] = [];
  const document = parseObject(text);
  if (typeof document === 'string') return { accounts, problems: [{ message: document, severity: 'error' }] };
  const error = (message: string): void => void problems.push({ message, severity: 'error' });
  for (const [key, value] of Object.entries(document)) {
    const domain = readName(key.replace(/^\*\./, ''));
    if (domain instanceof DnsNameError) {
      error(`the key ${domain.message}`);
      continue;
    }
    if (domain.startsWith('_acme-challenge.'))
      problems.push({
        message: `the key "${key}" is never looked up; write the domain itself: "${domain.slice('_acme-challenge.'.length)}"`,
        severity: 'warning',
      });
    const account = readAccount(value, `domain "${domain}"`, error);
    if (!account) continue;
    const other = accounts.get(domain);
    if (other && other.fulldomain !== account.fulldomain) error(`domain "${domain}" has two different accounts`);
    accounts.set(domain, account);
  }
  if (Object.keys(document).length === 0) error('it holds no account');
  return { accounts, problems };
}

/** The account of the domain, else of its nearest parent in the document. Pure. */
export function accountOf(accounts: Accounts, domain: DnsName): Account | undefined {
  for (let name: DnsName | undefined = domain; name; name = parentOf(name)) {
    const account = accounts.get(name);
    if (account) return account;
  }
  return undefined;
}

/** Whichever account publishes at `fulldomain`. Pure. */
export function accountAt(accounts: Accounts, fulldomain: DnsName): Account | undefined {
  for (const account of accounts.values()) if (account.fulldomain === fulldomain) return account;
  return undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | string {
  if (text.trim() === '') return 'it is empty; it has to hold the credentials document';
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : 'it is JSON, but no object with domains as keys';
  } catch (error) {
    // Only the position: the rest of the parser's message repeats the text, passwords included.
    const { message } = error as Error;
    if (message.includes('end of JSON input'))
      return `it is not JSON: it ends too early${placeOf(text, text.trimEnd().length)}`;
    const position = /at position (\d+)/.exec(message)?.[1];
    return `it is not JSON${position === undefined ? '' : placeOf(text, Number(position))}`;
  }
}

function placeOf(text: string, position: number): string {
  const before = text.slice(0, position).split('\n');
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}

function readAccount(value: unknown, of: string, error: (message: string) => void): Account | undefined {
  if (!isObject(value)) {
    error(`${of} has no account object`);
    return undefined;
  }
  const missing = members.filter((member) => typeof value[member] !== 'string' || value[member] === '');
  for (const member of missing) error(`${of}: "${member}" is ${member in value ? 'no text' : 'missing'}`);
  if (missing.length > 0) return undefined;
  const { username, password, fulldomain, subdomain } = value as Record<(typeof members)[number], string>;
  const name = readName(fulldomain);
  if (name instanceof DnsNameError) {
    // Not repeated: it may be a password in the wrong place.
    error(`${of}: "fulldomain" is no domain name`);
    return undefined;
  }
  // RFC 9110 5.5: what a header cannot carry would break the request, with the secret in the error.
  const unfit = (['username', 'password'] as const).filter((member) => !/^[\x21-\x7e]+$/.test(value[member] as string));
  for (const member of unfit) error(`${of}: "${member}" holds white space or characters outside ASCII`);
  if (unfit.length > 0) return undefined;
  if (name.split('.')[0] !== subdomain.toLowerCase()) {
    error(`${of}: "subdomain" is not the first label of "fulldomain"`);
    return undefined;
  }
  return { username, password: new SecretValue(Buffer.from(password)), fulldomain: name, subdomain };
}

const members = ['username', 'password', 'fulldomain', 'subdomain'] as const;

function readName(text: string): DnsName | DnsNameError {
  try {
    const name = toDnsName(text);
    return name === '' ? new DnsNameError(text, 'it is empty') : name;
  } catch (error) {
    if (error instanceof DnsNameError) return error;
    throw error;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

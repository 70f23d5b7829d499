import { timingSafeEqual } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { type Clock, type RandomBytes, randomText, randomUuid } from '../inputs.ts';

/** What /register returns and clients keep. */
export interface AcmeDnsAccount {
  readonly username: string;
  readonly password: string;
  readonly fulldomain: string;
  readonly subdomain: string;
  readonly allowfrom: readonly string[];
}

/** The database of acme-dns (`pkg/database/db.go`): accounts, and two TXT rows for each. */
export interface AcmeDnsAccounts {
  /** @throws InvalidCidrError */
  register(allowfrom: readonly string[]): AcmeDnsAccount;
  /** True when user, password, source address and subdomain all fit. */
  mayUpdate(request: { user: string; password: string; source: string; subdomain: unknown }): boolean;
  update(subdomain: string, value: string): void;
  /** The values of the two rows, empty ones left out; `undefined` for an unknown subdomain. */
  values(subdomain: string): readonly string[] | undefined;
  all(): readonly AcmeDnsAccount[];
}

export class InvalidCidrError extends Error {}

interface Row {
  value: string;
  /** Seconds. */
  lastUpdate: number;
}

export function createAccounts(domain: string, clock: Clock, random: RandomBytes): AcmeDnsAccounts {
  const byUser = new Map<string, { account: AcmeDnsAccount; allowed: BlockList | undefined }>();
  const rows = new Map<string, readonly [Row, Row]>();
  return {
    register(allowfrom) {
      const allowed = allowfrom.length > 0 ? readAllowFrom(allowfrom) : undefined;
      const subdomain = randomUuid(random);
      const account = {
        username: randomUuid(random),
        password: randomText(random, 30),
        fulldomain: `${subdomain}.${domain}`,
        subdomain,
        allowfrom: [...allowfrom],
      };
      byUser.set(account.username, { account, allowed });
      rows.set(subdomain, [
        { value: '', lastUpdate: 0 },
        { value: '', lastUpdate: 0 },
      ]);
      return account;
    },
    mayUpdate({ user, password, source, subdomain }) {
      const known = byUser.get(user);
      if (!known || !samePassword(known.account.password, password)) return false;
      if (known.allowed && !known.allowed.check(bareAddress(source), isIP(bareAddress(source)) === 6 ? 'ipv6' : 'ipv4'))
        return false;
      return known.account.subdomain === subdomain;
    },
    update(subdomain, value) {
      const pair = rows.get(subdomain);
      if (!pair) return;
      // ORDER BY LastUpdate LIMIT 1 with seconds: within one second the first row is taken twice, so a value written
      // in the same second as both rows' last ones evicts the first.
      const older = pair[1].lastUpdate < pair[0].lastUpdate ? pair[1] : pair[0];
      older.value = value;
      older.lastUpdate = Math.floor(clock.now() / 1000);
    },
    values: (subdomain) => rows.get(subdomain)?.flatMap((row) => (row.value === '' ? [] : [row.value])),
    all: () => [...byUser.values()].map((known) => known.account),
  };
}

function readAllowFrom(ranges: readonly string[]): BlockList {
  const allowed = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix = '', more] = range.split('/');
    const family = isIP(address);
    const bits = family === 6 ? 128 : 32;
    if (family === 0 || more !== undefined || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits)
      throw new InvalidCidrError(range);
    allowed.addSubnet(address, Number(prefix), family === 6 ? 'ipv6' : 'ipv4');
  }
  return allowed;
}

/** Node shows an IPv4 client of a dual-stack socket as ::ffff:192.0.2.1. */
const bareAddress = (source: string): string => source.replace(/^::ffff:(?=\d+\.)/i, '');

function samePassword(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

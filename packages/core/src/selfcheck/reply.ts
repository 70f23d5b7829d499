import {
  type DnsMessage,
  type DnsName,
  DnsNameError,
  type DnsRecord,
  isWithin,
  type SoaData,
  toDnsName,
} from '@zoneproof/dns';

/** What a server's answer to a TXT question at `name` means. */
export type Reply =
  /** With authority: the TXT values, each the joined octets of its strings. `apex` when the answer tells the zone. */
  | { readonly kind: 'values'; readonly values: readonly string[]; readonly apex?: DnsName }
  /** With authority: no TXT here. `apex` and `soa` come from the SOA beside it. */
  | { readonly kind: 'none'; readonly apex?: DnsName; readonly soa?: SoaData }
  /** With authority: the name is another one's alias. */
  | { readonly kind: 'alias'; readonly target: DnsName }
  /** The name belongs to a zone further down, with these servers. */
  | { readonly kind: 'referral'; readonly zone: DnsName; readonly nameservers: Nameservers }
  /** Of no use: an error, or an answer without authority. */
  | { readonly kind: 'lame'; readonly reason: string };

/** NS names, and the addresses that came with them. */
export type Nameservers = ReadonlyMap<DnsName, readonly string[]>;

/**
 * Reads an answer to `name TXT` from a server of `zone`. What a server says beside the question is not trusted: names
 * outside the zone, referrals that do not lead towards `name`, and upward ones are no referral.
 */
export function readReply(message: DnsMessage, name: DnsName, zone: DnsName): Reply {
  // With a CNAME in the answer the rcode belongs to the last name of the chain (RFC 6604), not to `name`.
  const alias = message.answers.find((record) => record.type === 'CNAME' && record.name === name);
  if (alias?.type === 'CNAME') {
    if (!message.aa) return lame(`it answers ${name} without authority`);
    return { kind: 'alias', target: alias.data };
  }
  const renamed = fromDname(message, name);
  if (renamed !== undefined) return renamed;
  if (message.rcode !== 'NOERROR' && message.rcode !== 'NXDOMAIN') return lame(`it answers ${message.rcode}`);
  if (!message.aa) return referral(message, name, zone) ?? lame('it answers without authority');
  const values = message.answers.flatMap((record) =>
    record.type === 'TXT' && record.name === name ? [record.data.join('')] : [],
  );
  if (values.length > 0) {
    const apex = ownerAbove(message.authorities, 'NS', name, zone);
    return apex === undefined ? { kind: 'values', values } : { kind: 'values', values, apex };
  }
  const soa = message.authorities.find((record) => record.type === 'SOA' && isWithin(name, record.name));
  if (soa?.type !== 'SOA') return { kind: 'none' };
  // A server of the parent that does not know it should serve the child (RFC 1912 2.8).
  if (!isWithin(soa.name, zone)) return lame(`it serves ${shown(soa.name)} but not ${shown(zone)}`);
  return { kind: 'none', apex: soa.name, soa: soa.data };
}

/** The NS names of `zone` in an answer to `zone NS` (or a referral to it), with their addresses. */
export function nameserversOf(message: DnsMessage, zone: DnsName): Nameservers {
  const found = new Map<DnsName, string[]>();
  for (const record of [...message.answers, ...message.authorities])
    if (record.type === 'NS' && record.name === zone && found.size < maxNameservers) found.set(record.data, []);
  for (const record of [...message.answers, ...message.additionals])
    if (record.type === 'A' || record.type === 'AAAA') found.get(record.name)?.push(record.data);
  return found;
}

/** The owner of the first record of `type` that is `name` or above it, and `zone` or below it. */
export function ownerAbove(
  records: readonly DnsRecord[],
  type: 'NS' | 'SOA',
  name: DnsName,
  zone: DnsName,
): DnsName | undefined {
  return records.find((record) => record.type === type && isWithin(name, record.name) && isWithin(record.name, zone))
    ?.name;
}

/** A zone as people write it: the root is a dot. */
export function shown(zone: DnsName): string {
  return zone === '' ? '. (the root)' : zone;
}

/** Zones have 2 to 13; more is an attack or a mistake. */
export const maxNameservers = 16;

/**
 * The alias that a DNAME above `name` makes of it (RFC 6672 2.2). Servers send the CNAME that follows from it as well;
 * one that is left out, as it may be when the new name is too long (YXDOMAIN), is made here.
 */
function fromDname(message: DnsMessage, name: DnsName): Reply | undefined {
  if (!message.aa) return undefined;
  const dname = message.answers.find(
    (record) => record.type === 'DNAME' && record.name !== name && isWithin(name, record.name),
  );
  if (dname?.type !== 'DNAME') return undefined;
  const prefix = dname.name === '' ? `${name}.` : name.slice(0, -dname.name.length);
  try {
    return { kind: 'alias', target: toDnsName(`${prefix}${dname.data}`) };
  } catch (error) {
    if (!(error instanceof DnsNameError)) throw error;
    return lame(`the DNAME of ${shown(dname.name)} to ${shown(dname.data)} makes no usable name: ${error.message}`);
  }
}

function referral(message: DnsMessage, name: DnsName, zone: DnsName): Reply | undefined {
  if (message.answers.length > 0) return undefined;
  const below = ownerAbove(message.authorities, 'NS', name, zone);
  if (below === undefined || below === zone) return undefined;
  const glue = new Map<DnsName, readonly string[]>();
  // Glue of other zones could be anybody's word (RFC 2181 5.4.1): those addresses are looked up.
  for (const [host, addresses] of nameserversOf(message, below)) glue.set(host, isWithin(host, zone) ? addresses : []);
  return { kind: 'referral', zone: below, nameservers: glue };
}

function lame(reason: string): Reply {
  return { kind: 'lame', reason };
}

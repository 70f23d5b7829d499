import type { DnskeyData, DsData } from '../message.ts';
import { isWithin } from '../name.ts';
import { algorithmText, standingOf } from './algorithms.ts';
import { dsDigest, isKnownDigest, keyProblem, keyTag, type ZoneKeys } from './key.ts';
import { broken, type DnssecLink, type UnsignedLink } from './link.ts';
import { rrsetText, type SignedRrset, zoneText } from './rrset.ts';
import { verifyRrset } from './verify-rrset.ts';

/** The links that were looked at, up to the first that is not sound; the keys of the zone when all are. */
export interface ZoneVerdict {
  readonly links: readonly DnssecLink[];
  readonly keys?: ZoneKeys;
}

/** What a parent says about a zone and what the zone itself says. */
export interface ZoneCut {
  readonly parent: ZoneKeys;
  /** The DS set of the zone, asked of the parent's servers; without records when they have none. */
  readonly ds: SignedRrset;
  /** The DNSKEY set of the zone, asked of its own servers. */
  readonly dnskeys: SignedRrset;
}

/**
 * Goes down one zone cut: keys of the parent -> DS set -> DNSKEY set of the zone (RFC 4035 5.2). The RRsets of the zone
 * are judged with the keys it returns by `verifyRrset`, further cuts by this function.
 *
 * Without a DS record the zone is unsigned as far as the parent says. That proves nothing by itself: an attacker on the
 * way could have dropped the DS records, and only the proof of their absence (NSEC, NSEC3), which is not looked at here,
 * tells a validator that nobody did.
 *
 * @param now milliseconds since 1970
 */
export function verifyZoneCut({ parent, ds, dnskeys }: ZoneCut, now: number): ZoneVerdict {
  if (ds.records.length === 0) {
    const text = `${zoneText(parent.zone)} has no DS record for ${zoneText(ds.name)}: unsigned as far as the parent says`;
    return { links: [{ state: 'unsigned', name: ds.name, type: 'DS', reason: 'no-ds', text }] };
  }
  if (ds.name === parent.zone || !isWithin(ds.name, parent.zone)) {
    const text = `${rrsetText(ds)} is not one that ${zoneText(parent.zone)} can sign`;
    return { links: [broken(ds, 'wrong-signer', text)] };
  }
  const dsLink = verifyRrset(ds, parent, now);
  if (dsLink.state !== 'sound') return { links: [dsLink] };
  const data = ds.records.flatMap((record) => (record.type === 'DS' ? [record.data] : []));
  const { links, keys } = verifyDnskeys(dnskeys, data, parentWords, now);
  return { links: [dsLink, ...links], ...(keys && { keys }) };
}

/**
 * The start of a chain: the DNSKEY set of the zone that the anchors belong to, for `rootTrustAnchors` the root's.
 *
 * @param now milliseconds since 1970
 */
export function verifyAnchoredZone(dnskeys: SignedRrset, anchors: readonly DsData[], now: number): ZoneVerdict {
  return verifyDnskeys(dnskeys, anchors, anchorWords, now);
}

/** How sentences call what vouches for the keys. */
interface Words {
  one(tag: number): string;
  all(tags: readonly number[]): string;
}

const parentWords: Words = {
  one: (tag) => `the DS record (key tag ${tag}) at its parent`,
  all: (tags) =>
    tags.length === 1
      ? parentWords.one(tags[0] as number)
      : `the DS records (key tags ${tags.join(', ')}) at its parent`,
};

const anchorWords: Words = {
  one: (tag) => `the trust anchor (key tag ${tag})`,
  all: (tags) => `a trust anchor (key tags ${tags.join(', ')})`,
};

function verifyDnskeys(dnskeys: SignedRrset, allDs: readonly DsData[], words: Words, now: number): ZoneVerdict {
  const { name: zone } = dnskeys;
  const ds = usableDs(allDs);
  if (ds.length === 0) return { links: [unusableLink(dnskeys, allDs)] };
  const tags = [...new Set(ds.map((one) => one.keyTag))];
  const keys = dnskeys.records.flatMap((record) => (record.type === 'DNSKEY' ? [record.data] : []));
  if (keys.length === 0) {
    const text = `${zoneText(zone)} has no DNSKEY record, and ${words.one(tags[0] as number)} says that it is signed`;
    return { links: [broken(dnskeys, 'no-dnskey', text)] };
  }

  const { matching, otherDigest } = matchKeys(zone, keys, ds);
  if (matching.length === 0) {
    const text =
      otherDigest === undefined
        ? `no DNSKEY of ${zoneText(zone)} matches ${words.all(tags)}`
        : `DNSKEY ${otherDigest} of ${zoneText(zone)} has another digest than ${words.one(otherDigest)}`;
    return { links: [broken(dnskeys, 'ds-mismatch', text)] };
  }
  const entries = matching.filter((key) => keyProblem(key) === undefined);
  if (entries.length === 0) {
    const key = matching[0] as DnskeyData;
    const text = `DNSKEY ${keyTag(key)} of ${zoneText(zone)}, which matches ${words.one(keyTag(key))}, ${keyProblem(key)}`;
    return { links: [broken(dnskeys, 'key-flags', text)] };
  }
  const entryTags = new Set(entries.map(keyTag));
  const signatures = dnskeys.signatures.filter((rrsig) => entryTags.has(rrsig.keyTag));
  if (signatures.length === 0 && dnskeys.signatures.length > 0) {
    const [tag] = entryTags;
    const text = `${rrsetText(dnskeys)} is not signed by key ${tag}, which matches ${words.one(tag as number)}`;
    return { links: [broken(dnskeys, 'no-key', text)] };
  }
  const link = verifyRrset({ ...dnskeys, signatures }, { zone, keys: entries }, now);
  if (link.state !== 'sound') return { links: [link] };
  const notes = ds.every((one) => one.digestType === 1)
    ? [`the DS record of ${zoneText(zone)} uses SHA-1 (digest type 1): replace it by one with SHA-256 (digest type 2)`]
    : [];
  return { links: [{ ...link, notes }], keys: { zone, keys } };
}

/** RFC 4035 5.2 leaves out what is not known, RFC 4509 3 those with SHA-1 beside those with a better digest. */
function usableDs(all: readonly DsData[]): readonly DsData[] {
  const known = all.filter((ds) => standingOf(ds.algorithm) === 'verified' && isKnownDigest(ds));
  const better = known.filter((ds) => ds.digestType !== 1);
  return better.length > 0 ? better : known;
}

function unusableLink({ name, type }: SignedRrset, all: readonly DsData[]): UnsignedLink {
  const old = all.find((ds) => standingOf(ds.algorithm) === 'old');
  const [first] = all;
  const what = old
    ? `${algorithmText(old.algorithm)}, which is too old to prove anything (RFC 9905)`
    : first && standingOf(first.algorithm) === 'verified'
      ? `digest type ${first.digestType}, which is not known here`
      : `${algorithmText(first?.algorithm ?? 0)}, which is not known here`;
  return {
    state: 'unsigned',
    name,
    type,
    reason: old ? 'old-algorithm' : 'unknown-algorithm',
    text: `the DS set of ${zoneText(name)} has only ${what}: resolvers treat the zone as unsigned`,
  };
}

/** Each key costs three digests at most, however many DS records have its tag. */
function matchKeys(zone: ZoneKeys['zone'], keys: readonly DnskeyData[], ds: readonly DsData[]) {
  const wanted = new Set(ds.map(dsText));
  const tagsWanted = new Set(ds.map((one) => one.keyTag));
  const digestTypes = [...new Set(ds.map((one) => one.digestType))];
  const matching: DnskeyData[] = [];
  let otherDigest: number | undefined;
  for (const key of keys) {
    const tag = keyTag(key);
    if (!tagsWanted.has(tag)) continue;
    const matches = digestTypes.some((digestType) => {
      const digest = dsDigest(zone, key, digestType);
      return digest !== undefined && wanted.has(dsText({ keyTag: tag, algorithm: key.algorithm, digestType, digest }));
    });
    if (matches) matching.push(key);
    else otherDigest = tag;
  }
  return { matching, otherDigest };
}

function dsText({ keyTag: tag, algorithm, digestType, digest }: DsData): string {
  return `${tag} ${algorithm} ${digestType} ${Buffer.from(digest).toString('hex')}`;
}

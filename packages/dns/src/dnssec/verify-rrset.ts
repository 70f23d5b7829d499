import type { RrsigData } from '../message.ts';
import { isWithin, labelsOf } from '../name.ts';
import { algorithmText, standingOf, verifySignature } from './algorithms.ts';
import { signedLabelCount, signedOctets, signedOwner } from './canonical.ts';
import { keyProblem, keyTag, type ZoneKeys } from './key.ts';
import { type BrokenLink, broken, type SoundLink } from './link.ts';
import { rrsetText, type SignedRrset, zoneText } from './rrset.ts';

/** Hostile zones have many keys of one tag and many signatures by it (CVE-2023-50387); honest ones need four at most. */
const maxVerifications = 16;

/**
 * Whether one of the signatures of an RRset is right, made by a key of its zone, and within its dates (RFC 4035 5.3).
 * Of several that fail, the one that came furthest is told.
 *
 * What a sound answer does not prove: that a name or type without an answer does not exist, or that no closer name
 * exists than the wildcard an answer was made from. Such proofs (NSEC, NSEC3) are not looked at.
 *
 * @param now milliseconds since 1970
 */
export function verifyRrset(rrset: SignedRrset, { zone, keys }: ZoneKeys, now: number): SoundLink | BrokenLink {
  if (rrset.records.length === 0) return broken(rrset, 'no-records', `there is no ${rrsetText(rrset).slice(4)}`);
  if (rrset.signatures.length === 0)
    return broken(rrset, 'no-signature', `${rrsetText(rrset)} has no signature, and its zone is said to be signed`);
  const dated = rrset.signatures.map((rrsig) => ({ rrsig, expiresAt: instantOf(rrsig.expiration, now) }));
  dated.sort((one, other) => other.expiresAt - one.expiresAt);

  const tagged = keys.map((key) => ({ key, tag: keyTag(key) }));
  const budget = { left: maxVerifications };
  let furthest: Failure | undefined;
  for (const { rrsig, expiresAt } of dated) {
    const failure = findFailure(rrset, rrsig, { zone, keys: tagged }, now, budget);
    if (failure === undefined) return soundLink(rrset, rrsig, expiresAt);
    if (furthest === undefined || failure.step > furthest.step) furthest = failure;
    if (failure.problem === 'too-many') break;
  }
  const { problem, text } = furthest as Failure;
  return broken(rrset, problem, text);
}

/** Milliseconds since 1970 of a time that is told modulo 2^32 seconds: the one nearest to now (RFC 4034 3.1.5). */
function instantOf(seconds: number, now: number): number {
  const nowSeconds = Math.floor(now / 1000);
  return (nowSeconds + ((seconds - nowSeconds) | 0)) * 1000;
}

interface Failure {
  /** How many checks went well before. */
  readonly step: number;
  readonly problem: BrokenLink['problem'];
  readonly text: string;
}

interface TaggedKeys {
  readonly zone: ZoneKeys['zone'];
  readonly keys: readonly { readonly key: ZoneKeys['keys'][number]; readonly tag: number }[];
}

function findFailure(
  rrset: SignedRrset,
  rrsig: RrsigData,
  { zone, keys }: TaggedKeys,
  now: number,
  budget: { left: number },
): Failure | undefined {
  const signature = `the signature of ${rrsetText(rrset)}`;
  if (rrsig.signer !== zone)
    return {
      step: 0,
      problem: 'wrong-signer',
      text: `${signature} is made by ${zoneText(rrsig.signer)} instead of ${zoneText(zone)}`,
    };
  if (!isWithin(rrset.name, zone))
    return {
      step: 0,
      problem: 'wrong-signer',
      text: `${signature} is made by ${zoneText(zone)}, in which it does not lie`,
    };
  if (rrsig.labels > signedLabelCount(rrset.name) || rrsig.labels < labelsOf(zone).length)
    return {
      step: 1,
      problem: 'wrong-labels',
      text: `${signature} is made for a name of ${rrsig.labels} labels, from which this one cannot come`,
    };
  const standing = standingOf(rrsig.algorithm);
  if (standing !== 'verified')
    return {
      step: 2,
      problem: 'algorithm',
      text: `${signature} is of ${algorithmText(rrsig.algorithm)}, which ${standing === 'old' ? 'is too old to prove anything (RFC 9905)' : 'is not known here'}`,
    };
  const candidates = keys.filter(({ key, tag }) => tag === rrsig.keyTag && key.algorithm === rrsig.algorithm);
  const usable = candidates.filter(({ key }) => keyProblem(key) === undefined);
  if (usable.length === 0) {
    const [unusable] = candidates;
    const why = unusable
      ? `key ${rrsig.keyTag}, which ${keyProblem(unusable.key)}`
      : `key ${rrsig.keyTag} of ${algorithmText(rrsig.algorithm)}, which is not among the keys of ${zoneText(zone)}`;
    return { step: 3, problem: 'no-key', text: `${signature} is made by ${why}` };
  }
  const dateProblem = findDateProblem(rrsig, now);
  if (dateProblem) return { step: 4, problem: dateProblem.problem, text: `${signature} ${dateProblem.text}` };

  const octets = signedOctets(rrset, rrsig);
  if (octets === undefined)
    return { step: 5, problem: 'unsupported-type', text: `signatures of ${rrset.type} sets are not verified here` };
  let badKey = false;
  for (const { key } of usable) {
    if (budget.left-- <= 0) return exhausted(rrset);
    const right = verifySignature(key.algorithm, key.publicKey, octets, rrsig.signature);
    if (right === true) return undefined;
    badKey = right === 'bad-key';
  }
  const made = `key ${rrsig.keyTag} of ${zoneText(zone)}`;
  return badKey
    ? { step: 5, problem: 'bad-key', text: `${made} is no key of ${algorithmText(rrsig.algorithm)}` }
    : {
        step: 6,
        problem: 'bad-signature',
        text: `${signature} is not one that ${made} made over these records`,
      };
}

function exhausted(rrset: SignedRrset): Failure {
  const text = `${rrsetText(rrset)} has so many signatures and keys that only ${maxVerifications} were tried`;
  return { step: 7, problem: 'too-many', text };
}

function findDateProblem(rrsig: RrsigData, now: number) {
  const expiresAt = instantOf(rrsig.expiration, now);
  if (expiresAt < Math.floor(now / 1000) * 1000)
    return { problem: 'expired', text: `expired ${dateText(expiresAt)}` } as const;
  const startsAt = instantOf(rrsig.inception, now);
  if (startsAt > now) return { problem: 'not-yet-valid', text: `is not valid before ${dateText(startsAt)}` } as const;
  return undefined;
}

function soundLink(rrset: SignedRrset, rrsig: RrsigData, expiresAt: number): SoundLink {
  const { name, type } = rrset;
  const { algorithm } = rrsig;
  const owner = signedOwner(name, rrsig.labels);
  return {
    state: 'sound',
    name,
    type,
    text: `${rrsetText(rrset)} is signed by key ${rrsig.keyTag} (${algorithmText(algorithm)}) until ${dateText(expiresAt)}`,
    keyTag: rrsig.keyTag,
    algorithm,
    expiresAt,
    ...(owner !== name && { wildcard: owner }),
    notes: [],
  };
}

function dateText(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

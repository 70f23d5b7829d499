import {
  type BrokenLink,
  type DnssecLink,
  type SignedRrset,
  verifyAnchoredZone,
  verifyRrset,
  verifyZoneCut,
  type ZoneKeys,
} from '@zoneproof/dns';
import { shown } from '../selfcheck/reply.ts';
import type { Facts, Verdict } from './finding.ts';
import type { NotSeen, ResolverView, TrustAnchor, TrustObservation } from './observe-trust.ts';

/** Online signers make signatures of a day; one that ends within hours has a signer that stopped. */
const soonMs = 3 * 3_600_000;

/**
 * The chain of trust from an anchor down to the SOA at each server, and what a validating resolver says beside it. CAs
 * validate (Baseline Requirements 3.2.2.4): a broken chain is SERVFAIL to them. Pure.
 *
 * @param now milliseconds since 1970
 */
export function judgeDnssec(seen: TrustObservation, anchors: readonly TrustAnchor[], now: number): Verdict {
  const chain = followChain(seen, anchors, now);
  const { resolver } = seen;
  const view = viewOf(resolver);
  const facts: Facts = {
    zone: seen.zone,
    state: chain.state,
    links: chain.links.map(linkFacts),
    certain: view === 'bogus' || (chain.state === 'broken' && !chain.links.some(isAboutTime)),
    ...(resolver !== undefined && { resolver: { ...resolver, told: resolver.told ?? null, view } }),
  };
  const bogus = `the resolver ${resolver?.resolver} answers ${resolver?.rcode} unless it is told not to check${resolver?.told === undefined ? '' : ` (${resolver.told})`}`;
  switch (chain.state) {
    case 'broken':
      if (view === 'validated')
        return {
          result: 'warning',
          detail: `${chain.text}; the resolver ${resolver?.resolver} still takes its answers, maybe from its cache; ${chain.advice}`,
          facts,
        };
      return {
        result: chain.everywhere ? 'failed' : 'warning',
        detail: `${chain.text}; ${view === 'bogus' ? `${bogus}; ` : ''}${chain.advice}`,
        facts,
      };
    case 'unknown':
      if (view === 'validated')
        return {
          result: 'ok',
          detail: `the resolver ${resolver?.resolver} validates ${seen.zone}; the chain itself could not be followed from here`,
          facts,
        };
      if (view === 'bogus')
        return {
          result: 'failed',
          detail: `${bogus}: DNSSEC of ${seen.zone} is broken; repair its signatures or its DS record`,
          facts,
        };
      return {
        result: 'unknown',
        detail: `the chain of trust of ${seen.zone} could not be followed: ${chain.text}`,
        facts,
      };
    default:
      if (view === 'bogus')
        return {
          result: 'failed',
          detail: `${bogus}, although ${chain.state === 'unsigned' ? chain.text : `the signatures of ${seen.zone} are right`}; look at its proofs of absence (NSEC, NSEC3) and at its other servers`,
          facts,
        };
      if (chain.state === 'unsigned')
        return { result: 'ok', detail: `${seen.zone} is not signed: ${chain.text}`, facts };
      if (chain.expiresAt - now < soonMs)
        return {
          result: 'warning',
          detail: `${chain.expiring} ends at ${new Date(chain.expiresAt).toISOString()}; see that its signer is running`,
          facts,
        };
      if (chain.notes.length > 0) return { result: 'warning', detail: chain.notes.join('; '), facts };
      return { result: 'ok', detail: `${seen.zone} is signed, and its chain of trust is whole`, facts };
  }
}

type Chain =
  | {
      readonly state: 'sound';
      readonly links: readonly DnssecLink[];
      readonly expiresAt: number;
      readonly expiring: string;
      readonly notes: readonly string[];
    }
  | { readonly state: 'unsigned'; readonly links: readonly DnssecLink[]; readonly text: string }
  | { readonly state: 'unknown'; readonly links: readonly DnssecLink[]; readonly text: string }
  | {
      readonly state: 'broken';
      readonly links: readonly DnssecLink[];
      readonly text: string;
      readonly advice: string;
      /** False: only some servers have bad signatures. */
      readonly everywhere: boolean;
    };

function followChain(
  { path, servers, zone, problem }: TrustObservation,
  anchors: readonly TrustAnchor[],
  now: number,
): Chain {
  const links: DnssecLink[] = [];
  const start = path.findIndex((at) => anchors.some((anchor) => anchor.zone === at.zone));
  const [top] = path;
  if (problem !== undefined) return { state: 'unknown', links, text: problem };
  if (start === -1)
    return {
      state: 'unknown',
      links,
      text: `no trusted key is known for ${top === undefined ? 'any zone above' : shown(top.zone)} or a zone below it`,
    };
  let keys: ZoneKeys | undefined;
  for (const at of path.slice(start)) {
    if (
      isNotSeen(at.dnskeys) &&
      (keys === undefined || at.ds === undefined || isNotSeen(at.ds) || at.ds.records.length > 0)
    )
      return { state: 'unknown', links, text: at.dnskeys.problem };
    if (at.ds !== undefined && isNotSeen(at.ds) && keys !== undefined)
      return { state: 'unknown', links, text: at.ds.problem };
    const verdict =
      keys === undefined
        ? verifyAnchoredZone(at.dnskeys as SignedRrset, anchorsOf(at.zone, anchors), now)
        : verifyZoneCut({ parent: keys, ds: at.ds as SignedRrset, dnskeys: seenOrEmpty(at.dnskeys, at.zone) }, now);
    links.push(...verdict.links);
    const last = verdict.links.at(-1);
    if (last?.state === 'unsigned') return { state: 'unsigned', links, text: last.text };
    if (last?.state === 'broken')
      return { state: 'broken', links, text: last.text, advice: last.advice, everywhere: true };
    keys = verdict.keys;
    if (keys === undefined) return { state: 'unknown', links, text: `the keys of ${shown(at.zone)} could not be told` };
  }
  return judgeServersOf({ zone, servers }, keys as ZoneKeys, links, now);
}

/** The same signature has to be right at every server: a secondary that lags behind may still have an expired one. */
function judgeServersOf(
  { zone, servers }: Pick<TrustObservation, 'zone' | 'servers'>,
  keys: ZoneKeys,
  links: readonly DnssecLink[],
  now: number,
): Chain {
  const judged = servers.map((server) => ({ server, link: verifyRrset(server.soa, keys, now) }));
  const all = [...links, ...judged.map(({ link }) => link)];
  const bad = judged.filter(
    (one): one is (typeof judged)[number] & { link: BrokenLink } => one.link.state === 'broken',
  );
  const [first] = bad;
  if (first !== undefined) {
    const { link, server } = first;
    const others = bad.length === 1 ? '' : ` and ${bad.length - 1} more`;
    const where = bad.length === judged.length ? 'at all servers' : `at ${server.name} ${server.address}${others}`;
    return {
      state: 'broken',
      links: all,
      text: `${link.text} (${where})`,
      advice: link.advice,
      everywhere: bad.length === judged.length,
    };
  }
  const sound = all.flatMap((link) => (link.state === 'sound' ? [link] : []));
  const soonest = sound.reduce<(typeof sound)[number] | undefined>(
    (best, link) => (best === undefined || link.expiresAt < best.expiresAt ? link : best),
    undefined,
  );
  return {
    state: 'sound',
    links: all,
    expiresAt: soonest?.expiresAt ?? Number.POSITIVE_INFINITY,
    expiring: `the signature of the ${soonest?.type} set of ${shown(soonest?.name ?? zone)}`,
    notes: [...new Set(sound.flatMap(({ notes }) => notes))],
  };
}

/**
 * bogus      it hides the answer only as long as it may check
 * validated  it has checked
 * unchecked  it does not validate, or the zone is not signed
 * unclear    it answers neither way
 */
function viewOf(view: ResolverView | undefined): 'bogus' | 'validated' | 'unchecked' | 'unclear' | 'none' {
  if (view === undefined) return 'none';
  if (view.rcode === 'SERVFAIL') return view.uncheckedRcode === 'NOERROR' ? 'bogus' : 'unclear';
  if (view.rcode !== 'NOERROR') return 'unclear';
  return view.ad ? 'validated' : 'unchecked';
}

/** A wrong clock here would look the same. */
function isAboutTime(link: DnssecLink): boolean {
  return link.state === 'broken' && (link.problem === 'expired' || link.problem === 'not-yet-valid');
}

function anchorsOf(zone: ZoneKeys['zone'], anchors: readonly TrustAnchor[]) {
  return anchors.filter((anchor) => anchor.zone === zone).flatMap(({ ds }) => ds);
}

function seenOrEmpty(set: SignedRrset | NotSeen, name: ZoneKeys['zone']): SignedRrset {
  return isNotSeen(set) ? { name, type: 'DNSKEY', records: [], signatures: [] } : set;
}

function isNotSeen(set: SignedRrset | NotSeen): set is NotSeen {
  return 'problem' in set;
}

function linkFacts(link: DnssecLink): Facts {
  const { state, name, type, text } = link;
  return {
    state,
    name,
    type,
    text,
    ...(link.state === 'broken' && { problem: link.problem }),
    ...(link.state === 'sound' && { keyTag: link.keyTag, expiresAt: new Date(link.expiresAt).toISOString() }),
  };
}

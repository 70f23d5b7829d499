import { readFileSync } from 'node:fs';
import {
  type DnskeyData,
  type DsData,
  decodeMessage,
  type RecordType,
  type SignedRrset,
  signedRrset,
  toDnsName,
  verifyAnchoredZone,
  verifyZoneCut,
  type ZoneVerdict,
} from '@zoneproof/dns';

/** An instant within the dates of all signatures of the fixture. */
export const signedAt = Date.parse('2026-11-21T12:00:00Z');

interface Fixture {
  readonly sets: Readonly<
    Record<
      string,
      {
        readonly anchors: readonly (Omit<DsData, 'digest'> & { readonly digestHex: string })[];
        readonly messages: Readonly<Record<string, string>>;
      }
    >
  >;
}

const file = new URL('../../../fixtures/dnssec-answers.json', import.meta.url);
const { sets } = JSON.parse(readFileSync(file, 'utf8')) as Fixture;

export const answerSets: readonly string[] = Object.keys(sets);

/** What BIND answered; `answers('ED25519')('a.test', 'DS')`. */
export function answers(set: string): (name: string, type: RecordType) => SignedRrset {
  return (name, type) => {
    const hex = sets[set]?.messages[`${name} ${type}`];
    if (hex === undefined) throw new Error(`the fixture has no answer ${name} ${type} of ${set}`);
    return signedRrset(decodeMessage(Buffer.from(hex, 'hex')).answers, toDnsName(name), type);
  };
}

export function anchorsOf(set: string): readonly DsData[] {
  return (sets[set]?.anchors ?? []).map(({ digestHex, ...data }) => ({
    ...data,
    digest: Buffer.from(digestHex, 'hex'),
  }));
}

/** The whole way down to a.test; `change` tampers with one of the three RRsets. */
export function walk(
  set: string,
  change: (rrset: SignedRrset) => SignedRrset = (rrset) => rrset,
  now = signedAt,
): ZoneVerdict {
  const answer = (name: string, type: RecordType) => change(answers(set)(name, type));
  const top = verifyAnchoredZone(answer('test', 'DNSKEY'), anchorsOf(set), now);
  if (!top.keys) return top;
  const cut = verifyZoneCut({ parent: top.keys, ds: answer('a.test', 'DS'), dnskeys: answer('a.test', 'DNSKEY') }, now);
  return { ...cut, links: [...top.links, ...cut.links] };
}

/** The DNSKEY records of an RRset. */
export function keysOf(rrset: SignedRrset): readonly DnskeyData[] {
  return rrset.records.flatMap((record) => (record.type === 'DNSKEY' ? [record.data] : []));
}

import { readFileSync } from 'node:fs';
import {
  DnsDecodeError,
  type DnsRecord,
  decodeMessage,
  type SignedRrset,
  signedRrset,
  verifyAnchoredZone,
  verifyRrset,
  verifyZoneCut,
  type ZoneKeys,
} from '@zoneproof/dns';
import { fuzz, fuzzSeconds } from '@zoneproof/farm';
import { anchorsOf, answerSets, answers, signedAt, walk } from './testing/answers.ts';

const options = { what: 'DNSSEC records', seed: 4035, seconds: 1 };
const seconds = fuzzSeconds(options);

const { sets } = JSON.parse(readFileSync(new URL('../../fixtures/dnssec-answers.json', import.meta.url), 'utf8')) as {
  readonly sets: Readonly<Record<string, { readonly messages: Readonly<Record<string, string>> }>>;
};
const cases = answerSets
  .filter((set) => set !== 'RSASHA1')
  .flatMap((set) => {
    const keys = walk(set).keys as ZoneKeys;
    const parent = parentKeys(set);
    return Object.entries(sets[set]?.messages ?? {}).flatMap(([question, hex]) => {
      const [name = '', type] = question.split(' ') as [string, DnsRecord['type']];
      if (name === 'none.a.test' || type === 'MX') return [];
      const rrset = answers(set)(name, type);
      const judge = (changed: SignedRrset) => {
        if (question === 'test DNSKEY') return verifyAnchoredZone(changed, anchorsOf(set), signedAt).links;
        if (question === 'a.test DNSKEY')
          return verifyZoneCut({ parent, ds: answers(set)('a.test', 'DS'), dnskeys: changed }, signedAt).links;
        return [verifyRrset(changed, type === 'DS' ? parent : keys, signedAt)];
      };
      return [{ question, wire: Buffer.from(hex, 'hex'), rrset, judge }];
    });
  });

test(
  'octets changed on the way: a set that is still sound is the one that was signed, and nothing throws',
  async () => {
    let [sound, broken] = [0, 0];
    const inputs = await fuzz(options, (random) => {
      const { question, wire, rrset, judge } = cases[random(cases.length)] as (typeof cases)[number];
      const changed = Buffer.from(wire);
      for (let changes = 1 + random(3); changes > 0; changes--) changed[random(changed.length)] = random(256);
      try {
        const seen = signedRrset(decodeMessage(changed).answers, rrset.name, rrset.type);
        if (judge(seen).at(-1)?.state !== 'sound') broken++;
        else {
          sound++;
          expect(values(seen)).toEqual(values(rrset));
        }
      } catch (error) {
        if (error instanceof DnsDecodeError) return;
        throw new Error(`${question}: ${changed.toString('hex')}: ${error}`, { cause: error });
      }
    });
    expect(inputs).toBeGreaterThan(seconds * 100);
    expect(sound).toBeGreaterThan(inputs / 100);
    expect(broken).toBeGreaterThan(inputs / 10);
  },
  seconds * 1000 + 30_000,
);

function parentKeys(set: string): ZoneKeys {
  const { keys } = verifyAnchoredZone(answers(set)('test', 'DNSKEY'), anchorsOf(set), signedAt);
  if (keys === undefined) throw new Error(`the keys of test in ${set} are not sound`);
  return keys;
}

/** Records without what is not signed, each once. */
function values({ records }: SignedRrset): readonly string[] {
  return [...new Set(records.map(({ type, data }) => JSON.stringify([type, data])))].sort();
}

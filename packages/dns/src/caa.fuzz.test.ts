import { judgeCaa, parseCaaIssuer } from '@zoneproof/dns';
import { fuzz, fuzzSeconds, type Random } from '@zoneproof/farm';

const options = { what: 'CAA properties', seed: 8659, seconds: 1 };
const seconds = fuzzSeconds(options);
const accountUrl = 'https://ca.example/acct/1';

test(
  'any CAA set allows or denies in one printable line; what it allows names the CA, and no other account or method',
  async () => {
    let [allowed, denied] = [0, 0];
    const inputs = await fuzz(options, (random) => {
      const rrset = Array.from({ length: 1 + random(4) }, () => property(random));
      const request = { issuers: ['ca.example'], wildcard: random(2) === 0, accountUrl, method: 'dns-01' };
      const { decision, property: decisive, text } = judgeCaa(rrset, request);
      if (!/^[ -~]{1,600}$/.test(text)) throw new Error(`told as ${JSON.stringify(text)}`);
      if (decision === 'denied') {
        denied++;
        return;
      }
      if (decisive === undefined) return;
      allowed++;
      const issuer = parseCaaIssuer(decisive.value);
      const says = (tag: string, wanted: string) =>
        issuer?.parameters.every((one) => one.tag !== tag || one.value.split(',').includes(wanted)) ?? false;
      const isOurs = issuer?.issuer.toLowerCase() === 'ca.example';
      if (!isOurs || !says('accounturi', accountUrl) || !says('validationmethods', 'dns-01'))
        throw new Error(`allowed by ${JSON.stringify(decisive)}`);
    });
    expect(allowed).toBeGreaterThan(inputs / 100);
    expect(denied).toBeGreaterThan(inputs / 10);
  },
  seconds * 1000 + 30_000,
);

const pieces = [
  'ca.example',
  'CA.example',
  'other.example',
  ';',
  '; ',
  '=',
  ',',
  '\t',
  'accounturi=',
  'accounturi',
  accountUrl,
  'https://ca.example/acct/2',
  'validationmethods=',
  'dns-01',
  'http-01',
  '-',
  '.',
  '"',
  '\u0000',
  '\u00ff',
];

function property(random: Random) {
  const tag = ['issue', 'issue', 'issuewild', 'ISSUE', 'iodef', 'tbs', ''][random(7)] as string;
  const well = ['ca.example', 'ca.example; validationmethods=dns-01', `ca.example; accounturi=${accountUrl}`][
    random(3)
  ];
  const length = random(300) === 0 ? 3000 : random(8);
  const value =
    random(4) === 0 ? (well as string) : Array.from({ length }, () => pieces[random(pieces.length)]).join('');
  return { flags: [0, 0, 0, 128, 1, 255][random(6)] as number, tag, value };
}

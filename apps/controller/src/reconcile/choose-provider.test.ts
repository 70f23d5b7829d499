import { toDnsName } from '@zoneproof/dns';
import type { ProviderSpec } from '../resources/types.ts';
import { candidateProviders } from './choose-provider.ts';

const provider = (name: string, selector?: ProviderSpec['selector']) => ({
  spec: { name, ...(selector === undefined ? {} : { selector }) } as ProviderSpec,
});
const plain = provider('plain');
const other = provider('other');
const zone = provider('zone', { dnsZones: ['example.com'] });
const deeper = provider('deeper', { dnsZones: ['eu.example.com'] });
const exact = provider('exact', { dnsNames: ['*.www.eu.example.com'] });
const all = [plain, zone, deeper, exact];

test.each<[string, readonly (typeof plain)[], { provider: string; domains: string[] }[] | undefined, string, string[]]>(
  [
    ['the only provider serves every name', [plain], undefined, 'a.test', ['plain']],
    [
      "the certificate's own mapping comes first",
      all,
      [{ provider: 'plain', domains: ['*.eu.example.com'] }],
      'eu.example.com',
      ['plain'],
    ],
    [
      'a mapping of other names says nothing',
      all,
      [{ provider: 'plain', domains: ['a.test'] }],
      'eu.example.com',
      ['deeper'],
    ],
    [
      'a mapping to a provider that is not there leaves none',
      all,
      [{ provider: 'gone', domains: ['a.test'] }],
      'a.test',
      [],
    ],
    ['a name in a selector beats its zones', all, undefined, 'www.eu.example.com', ['exact']],
    ['the deeper zone beats the one above', all, undefined, 'x.eu.example.com', ['deeper']],
    ['a zone holds names on a label boundary', all, undefined, 'badexample.com', ['plain']],
    ['a selector that matches beats none', all, undefined, 'us.example.com', ['zone']],
    [
      'several without a selector are left to their zones',
      [plain, other, zone],
      undefined,
      'a.test',
      ['plain', 'other'],
    ],
    ['a selector that does not match excludes', [zone], undefined, 'a.test', []],
  ],
)('%s', (_title, providers, mapping, domain, expected) => {
  expect(candidateProviders(providers, mapping, toDnsName(domain)).map(({ spec }) => spec.name)).toEqual(expected);
});

import { chooseSolver, type Solver } from './choose-solver.ts';
import { certificate, issuer, runImport, together } from './testing/run-import.ts';

const solver = (title: string, selector: Partial<Solver> = {}): Solver => ({
  matchLabels: {},
  dnsNames: [],
  dnsZones: [],
  provider: title,
  title,
  ...selector,
});

// The cases of cert-manager's own documentation and of its solverpicker.
test.each<[string, string, readonly Solver[], string | undefined]>([
  ['the first of two without selectors', 'example.com', [solver('a'), solver('b')], 'a'],
  ['a zone before none', 'www.example.com', [solver('a'), solver('b', { dnsZones: ['example.com'] })], 'b'],
  ['the zone with more labels', 'x.sys.example.com', [solver('a', { dnsZones: ['sys.example.com'] }), solver('b', { dnsZones: ['example.com'] })], 'a'],
  ['a name before a zone', 'www.example.com', [solver('a', { dnsZones: ['www.example.com'] }), solver('b', { dnsNames: ['www.example.com'] })], 'b'],
  ['a wildcard is another name than its domain', '*.example.com', [solver('a', { dnsNames: ['example.com'] }), solver('b')], 'b'],
  ['a zone on a label boundary only', 'notexample.com', [solver('a', { dnsZones: ['example.com'] })], undefined],
  ['labels that the Certificate lacks exclude', 'example.com', [solver('a', { matchLabels: { team: 'web' } }), solver('b')], 'b'],
  ['more labels before fewer', 'example.com', [solver('a'), solver('b', { matchLabels: { team: 'shop' } })], 'b'],
  ['a zone before labels', 'example.com', [solver('a', { matchLabels: { team: 'shop' } }), solver('b', { dnsZones: ['com'] })], 'b'],
  ['both zone and name have to match', 'www.example.com', [solver('a', { dnsZones: ['example.org'], dnsNames: ['www.example.com'] })], undefined],
  ['HTTP01 never for a wildcard', '*.example.com', [solver('HTTP01', { dnsZones: ['example.com'] }), solver('b')], 'b'],
])('%s', (_title, name, solvers, expected) => {
  expect(chooseSolver(solvers, { team: 'shop' }, name)?.title).toBe(expected);
}); // biome-ignore format: rows

const at = (nameserver: string, selector?: object) => ({
  dns01: { rfc2136: { nameserver } },
  ...(selector && { selector }),
});

test('a Certificate names the provider where ours would be another one than the solver of cert-manager', async () => {
  const text = issuer([
    at('192.0.2.1', { matchLabels: { team: 'shop' } }),
    at('192.0.2.2', { dnsZones: ['example.com'] }),
    at('192.0.2.3', { matchLabels: { team: 'web' } }),
  ]);
  const dnsNames = ['a.example.com', 'b.example.org', '*.b.example.org'];
  const mapping = async (labels: object) => {
    const { objects } = await runImport(together(text, certificate({ dnsNames }, { labels })));
    return objects['Certificate web']?.spec.dns01;
  };
  expect(await mapping({ team: 'shop' })).toEqual([
    { provider: 'rfc2136', domains: ['b.example.org', '*.b.example.org'] },
  ]);
  expect(await mapping({ team: 'web' })).toEqual([
    { provider: 'rfc2136-3', domains: ['b.example.org', '*.b.example.org'] },
  ]);
  const { report } = await runImport(together(text, certificate({ dnsNames })));
  expect(report.findings.at(-1)?.why).toBe('No solver of Issuer le is for *.b.example.org.');
});

test('a name that was proven by a solver without a counterpart keeps its Certificate from being taken over', async () => {
  const solvers = [at('192.0.2.1'), { http01: { ingress: {} }, selector: { dnsNames: ['www.example.com'] } }];
  const { report, objects } = await runImport(
    together(issuer(solvers), certificate({ dnsNames: ['a.example.com', 'www.example.com'] })),
  );
  expect(Object.keys(objects)).toEqual(['Issuer le']);
  expect(report.findings.at(-1)).toMatchObject({ field: 'spec.dnsNames[1]', why: expect.stringContaining('HTTP01') });
});

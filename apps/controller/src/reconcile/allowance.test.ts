import type { IssuerSpec } from '../resources/types.ts';
import { whyNotAllowed } from './allowance.ts';

const domains = { allowedDomains: ['Shop.Example', 'bücher.example'] };

test.each<[string, Pick<IssuerSpec, 'allowedNamespaces' | 'allowedDomains'>, string, readonly string[], object | undefined]>([
  ['without lists all are served', {}, 'any', ['a.test'], undefined],
  ['a namespace that is listed', { allowedNamespaces: ['web', 'shop'] }, 'shop', ['a.test'], undefined],
  ['one that is not', { allowedNamespaces: ['shop'] }, 'web', ['a.test'], { reason: 'NamespaceNotAllowed' }],
  ['a namespace is not matched by its beginning', { allowedNamespaces: ['shop'] }, 'shop-2', ['a.test'], { reason: 'NamespaceNotAllowed' }],
  ['an empty list is nobody', { allowedNamespaces: [] }, 'web', ['a.test'], { reason: 'NamespaceNotAllowed' }],
  ['a domain itself, below it, and a wildcard', domains, 'web', ['shop.example', 'a.b.shop.example', '*.SHOP.example'], undefined],
  ['A-labels and U-labels are the same', domains, 'web', ['www.xn--bcher-kva.example'], undefined],
  ['the domain above', domains, 'web', ['example'], { reason: 'DomainNotAllowed' }],
  ['a wildcard above', domains, 'web', ['*.example'], { reason: 'DomainNotAllowed' }],
  ['a name that only ends in the same letters', domains, 'web', ['myshop.example'], { reason: 'DomainNotAllowed' }],
  ['one name outside is enough', domains, 'web', ['shop.example', 'a.test', 'b.test'], { message: expect.stringContaining('is not for a.test and 1 more.') }],
  ['a name that cannot be read is not allowed', domains, 'web', ['a..shop.example'], { reason: 'DomainNotAllowed' }],
  ['an entry that cannot be read allows nothing', { allowedDomains: ['..'] }, 'web', ['a.test'], { reason: 'DomainNotAllowed' }],
])('%s', (_title, lists, namespace, dnsNames, expected) => {
  const issuer = { kind: 'ClusterIssuer' as const, metadata: { name: 'ca' }, spec: lists as IssuerSpec };
  const why = whyNotAllowed(issuer, namespace, dnsNames);
  if (expected === undefined) expect(why).toBeUndefined();
  else expect(why).toMatchObject(expected);
}); // biome-ignore format: one table

test('the refusal does not repeat the lists, which may name other tenants', () => {
  const spec = { allowedNamespaces: ['secret-project'], allowedDomains: ['hidden.example'] } as unknown as IssuerSpec;
  const issuer = { kind: 'ClusterIssuer' as const, metadata: { name: 'ca' }, spec };
  const told = [whyNotAllowed(issuer, 'web', ['a.test']), whyNotAllowed(issuer, 'secret-project', ['a.test'])];
  expect(JSON.stringify(told)).not.toMatch(/hidden|\bsecret-project, /);
  expect(told.map((why) => why?.message)).toEqual([
    'ClusterIssuer ca does not serve namespace web. Name another Issuer, or have web added to its allowedNamespaces.',
    'ClusterIssuer ca is not for a.test. Name another Issuer, or have the domain added to its allowedDomains.',
  ]);
});

test('an Issuer serves its namespace whatever stands in it', () => {
  const spec = { allowedNamespaces: ['other'] } as unknown as IssuerSpec;
  expect(whyNotAllowed({ kind: 'Issuer', metadata: { name: 'ca' }, spec }, 'web', ['a.test'])).toBeUndefined();
});

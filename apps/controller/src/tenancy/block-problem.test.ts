import clouddns from '@zoneproof/provider-clouddns';
import rfc2136 from '@zoneproof/provider-rfc2136';
import routedns from '@zoneproof/provider-routedns';
import { parseAllowedEndpoints } from './allowed-endpoints.ts';
import { blockProblem } from './block-problem.ts';

const keys = { accessKeyID: 'AKIA', secretAccessKeySecretRef: { name: 'aws', key: 'key' } };
const secret = { serviceAccountSecretRef: { name: 'gcp', key: 'json' } };
const pem = '-----BEGIN CERTIFICATE-----';

test.each<[string, { ambient?: boolean; endpoints?: string }, { ambient?(config: never): boolean }, object, RegExp | undefined]>([
  ['keys from a Secret', {}, routedns, { region: 'eu-central-1', ...keys }, undefined],
  ['no keys', {}, routedns, { region: 'eu-central-1' }, /^Ambient.*: p "x": it names no Secret/],
  ['a key id without its secret', {}, routedns, { region: 'eu-central-1', accessKeyID: 'AKIA' }, /^Ambient/],
  ['no keys, where the flag is set', { ambient: true }, routedns, { region: 'eu-central-1' }, undefined],
  ['no service account', {}, clouddns, { project: 'p' }, /^Ambient/],
  ['a service account', {}, clouddns, { project: 'p', ...secret }, undefined],
  ['a provider that knows none', {}, rfc2136, { nameserver: '192.0.2.1' }, undefined],
  ['an endpoint', {}, routedns, { ...keys, endpoint: 'https://evil.test' }, /^Endpoint.*: endpoint evil\.test is not one/],
  ['an endpoint that is allowed', { endpoints: 'api.test' }, routedns, { ...keys, endpoint: 'https://api.test/v4' }, undefined],
  ['one with a secret in its URL', {}, routedns, { ...keys, endpoint: 'https://user:hunter2@evil.test/?t=hunter2' }, /^Endpoint.*: endpoint evil\.test is/],
  ['a caBundle for the service itself', { endpoints: 'api.test' }, routedns, { ...keys, caBundle: pem }, /^Endpoint.*: caBundle is for the service itself/],
  ['a caBundle for an endpoint that is allowed', { endpoints: 'api.test' }, routedns, { ...keys, endpoint: 'https://api.test', caBundle: pem }, undefined],
  ['a host that every such block has', {}, {}, { host: 'https://auth.test' }, undefined],
  ['a caBundle for it', {}, {}, { host: 'https://auth.test', caBundle: pem }, /^Endpoint.*: caBundle is for auth\.test,/],
  ['a caBundle for it, which is allowed', { endpoints: 'auth.test' }, {}, { host: 'https://auth.test', caBundle: pem }, undefined],
])('%s', (_title, { ambient = false, endpoints = '' }, plugin, config, expected) => {
  const rules = { ambientCredentials: ambient, allowedEndpoints: parseAllowedEndpoints(endpoints) };
  const problem = blockProblem(plugin as never, { key: 'p', name: 'x', config }, rules);
  const told = problem && `${problem.reason}: ${problem.message}`;
  if (expected === undefined) expect(told).toBeUndefined();
  else expect(told).toMatch(expected);
  expect(told ?? '').not.toContain('hunter2');
  if (problem !== undefined) expect(problem.cure).toBe('change');
}); // biome-ignore format: one table

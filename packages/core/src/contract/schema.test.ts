import { rootCertificates } from 'node:tls';
import { endpointProblems } from './schema.ts';

const pem = rootCertificates[0]!;

test.each<[endpoint: string | undefined, caBundle: string | undefined, problems: RegExp[]]>([
  [undefined, undefined, []],
  ['https://dns.example.net', pem, []],
  ['https://dns.example.net:8443/v4', `# our own\n${pem}`, []],
  ['http://dns.example.net', undefined, [/^endpoint: not a URL that starts with https/]],
  ['dns.example.net', undefined, [/^endpoint: not a URL/]],
  ['https://me:secret@dns.example.net', undefined, [/^endpoint: carries a user name or password/]],
  ['https://dns.example.net/?a=b', undefined, [/^endpoint: a base URL has neither/]],
  ['https://dns.example.net/#a', undefined, [/^endpoint: a base URL has neither/]],
  [undefined, 'text', [/^caBundle: holds no certificate/]],
  [undefined, pem.replace('MII', 'MMM'), [/^caBundle: certificate 1 of 1 cannot be read/]],
  ['ftp://x', '', [/^endpoint: /, /^caBundle: /]],
])('endpoint %s', (endpoint, caBundle, expected) => {
  const problems = endpointProblems({ ...(endpoint && { endpoint }), ...(caBundle !== undefined && { caBundle }) });
  expect(problems.map(({ path }) => path)).toHaveLength(expected.length);
  for (const [at, { path, message, severity }] of problems.entries()) {
    expect(`${path}: ${message}`).toMatch(expected[at]!);
    expect(severity).toBe('error');
    expect(message).not.toContain('secret@');
  }
});

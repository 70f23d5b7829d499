import { FakeClock } from '@zoneproof/core/testing';
import type { SecretMeta } from './secret-json.ts';
import { secretNamesOf } from './secret-references.ts';
import { secretSink } from './secret-sink.ts';
import { SecretVersions } from './secret-versions.ts';

let clock: FakeClock;
let versions: SecretVersions;
let changed: string[];

beforeEach(() => {
  clock = new FakeClock();
  changed = [];
  versions = new SecretVersions({
    clock,
    random: (length) => new Uint8Array(length),
    resyncMs: 600_000,
    changed: (namespace, name) => changed.push(`${namespace}/${name}`),
  });
});

const meta = (version: number, name = 's'): SecretMeta => ({
  namespace: 'ns',
  name,
  uid: `uid-${name}`,
  resourceVersion: String(version),
});

test('what someone else makes, changes or deletes is news; the first look and our own writes are not', () => {
  versions.seen('ns', 's', undefined);
  versions.seen('ns', 's', meta(1));
  expect(changed).toEqual(['ns/s']);
  versions.wrote('ns', 's', meta(5));
  versions.seen('ns', 's', meta(5));
  versions.seen('ns', 's', meta(4));
  expect(changed).toHaveLength(1);
  versions.seen('ns', 's', meta(6));
  versions.seen('ns', 's', undefined);
  expect(changed).toHaveLength(3);
});

test('what was made here may be deleted without a look, until someone else touches it', () => {
  versions.wrote('ns', 's', meta(1), 'made');
  versions.seen('ns', 's', meta(1));
  expect(versions.madeUid('ns', 's')).toBe('uid-s');
  versions.seen('ns', 's', meta(2));
  expect(versions.madeUid('ns', 's')).toBeUndefined();
});

test('a Secret is due for a look within the time given, at once when what refers to it changed, and only while something does', async () => {
  versions.seen('ns', 's', meta(1));
  versions.seen('ns', 'unused', meta(1, 'unused'));
  const referenced = new Set(['ns/s', 'ns/never-read']);
  expect(versions.due(referenced)).toEqual([]);
  versions.expire('ns', 's');
  expect(versions.due(referenced)).toEqual(['ns/s']);
  versions.seen('ns', 's', meta(1));
  await clock.advance(600_000);
  expect(versions.due(referenced)).toEqual(['ns/s']);
  expect(versions.isKnown('ns', 'unused')).toBe(false);
});

test('a watch of Secrets tells what those that were read have become, also by a list', () => {
  const sink = secretSink(versions);
  const list = (version: string, ...secrets: readonly SecretMeta[]) => {
    sink.listBegins();
    for (const metadata of secrets) sink.listed({ metadata });
    sink.listEnds(version);
  };
  versions.seen('ns', 's', meta(3));
  list('10', meta(3), meta(4, 'other'));
  sink.changed({ metadata: meta(12, 'other') });
  expect(changed).toEqual([]);
  sink.changed({ metadata: meta(11) });
  versions.wrote('ns', 's', meta(20));
  sink.deleted({ metadata: meta(15) });
  sink.changed({ metadata: meta(20) });
  expect(changed).toEqual(['ns/s']);
  list('30', meta(12, 'other'));
  expect(changed).toEqual(['ns/s', 'ns/s']);
});

test('the Secrets of an Issuer are those that any field names, those of a Certificate its own', () => {
  const metadata = { namespace: 'ns', name: 'x', uid: '', generation: 1, resourceVersion: '1', createdAt: 0 };
  const spec = {
    acme: {
      server: 'https://ca.test',
      privateKeySecretRef: { name: 'account' },
      externalAccountBinding: { keyID: 'k', keySecretRef: { name: 'eab', key: 'k' } },
      dns01: {
        providers: [
          { name: 'a', rfc2136: { nameserver: '192.0.2.1', tsigSecretSecretRef: { name: 'tsig', key: 'k' } } },
          { name: 'b', thirdparty: { nested: [{ tokenSecretRef: { name: 'token', key: 'k' } }] } },
          {
            name: 'c',
            fastdns: {
              clientTokenSecretRef: { name: 'fast', key: 'a' },
              accessTokenSecretRef: { name: 'fast', key: 'b' },
            },
          },
        ],
      },
    },
  };
  const issuer = { kind: 'Issuer', metadata, spec, status: {} } as const;
  expect([...secretNamesOf(issuer)].sort()).toEqual(['account', 'eab', 'fast', 'token', 'tsig']);
  const certificate = { dnsNames: ['a.test'], secretName: 's', issuerRef: { name: 'x' } };
  expect(secretNamesOf({ kind: 'Certificate', metadata, spec: certificate, status: {} })).toEqual(['s']);
});

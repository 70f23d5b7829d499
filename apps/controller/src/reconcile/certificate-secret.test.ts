import type { Certificate, Secret } from '../resources/types.ts';
import { secretData } from '../store/secret-data.ts';
import { takeOver } from './certificate-secret.ts';
import type { Services } from './services.ts';

const certificate = {
  kind: 'Certificate',
  metadata: { namespace: 'd', name: 'www', uid: 'now' },
  spec: { secretName: 'www-tls', dnsNames: ['www.example'], issuerRef: { name: 'ca' } },
  status: {},
} as unknown as Certificate;

/** Whom the Secret belongs to afterwards; undefined: it was not written. */
async function ownerAfterwards(owner: Secret['metadata']['owner']): Promise<string | undefined> {
  let written: string | undefined;
  const data = secretData({ 'tls.crt': Buffer.from('chain'), 'tls.key': Buffer.from('key') });
  const store = {
    readSecret: async () => ({ kind: 'Secret', metadata: { namespace: 'd', name: 'www-tls', owner }, data }),
    writeSecret: async (meta: Secret['metadata']) => {
      written = meta.owner?.uid;
      return 'written';
    },
  };
  const run: Services['run'] = (_name, work) => work();
  await takeOver(certificate, { store, run } as unknown as Services);
  return written;
}

test.each([
  ['its own stays as it is', 'now', undefined],
  ['that of an earlier Certificate of its name becomes its own', 'earlier', 'now'],
])('the Secret of a Certificate: %s', async (_title, uid, expected) => {
  expect(await ownerAfterwards({ kind: 'Certificate', name: 'www', uid })).toBe(expected);
});

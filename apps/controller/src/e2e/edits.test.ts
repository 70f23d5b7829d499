import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { basis, certificate, describeEdits, edit, issued, run, sandbox } from './edits.ts';
import { type Standalone, startStandalone } from './standalone.ts';

let standalone: Standalone;

describeEdits(
  'edits of manifests in a directory',
  async (options) => {
    standalone = await startStandalone(options);
    const { controller, apply } = standalone;
    return {
      ...standalone,
      async edit(manifests) {
        await apply(manifests);
        controller.reload();
      },
    };
  },
  () => {
    // In Kubernetes a Secret goes with the Certificate that owns it.
    test('a Certificate of another name takes over the Secret of one that was removed', async () => {
      const { store } = await run({ ...basis(), ...certificate('old', { secretName: 'www-tls' }) });
      await issued('old');
      const dnsNames = ['old.example.test'];
      const renamed = { secretName: 'www-tls', dnsNames, dns01: [{ provider: 'rfc2136', domains: dnsNames }] };
      await edit({ ...basis(), ...certificate('www', renamed) });
      await issued('www');
      expect(sandbox.ca.counts.certificates).toBe(1);
      expect((await store.readSecret('default', 'www-tls'))?.metadata.owner?.name).toBe('www');
      const chain = await readFile(join(standalone.stateDir, 'certs/default/www/tls.crt'), 'utf8');
      expect(chain).toContain('BEGIN CERTIFICATE');
    });
  },
);

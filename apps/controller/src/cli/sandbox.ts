import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatServer } from '@zoneproof/dns';
import { type CommandContext, createContext } from './context.ts';
import { openRegistry } from './registry.ts';
import { runOn } from './run.ts';

/** What the sandbox writes anew at each start, since its ports and credentials change. */
const firstLine = '# Written by each start of `zoneproof sandbox`; certificates.yaml is yours to edit.\n';

/**
 * `zoneproof sandbox`: CA, DNS servers and acme-dns on loopback and the real controller on the manifests in a
 * directory, until Ctrl-C. What is edited there is put to use at once.
 */
export async function sandbox({ dir }: { readonly dir: string }, context: CommandContext): Promise<number> {
  const { startSandbox } = await import('@zoneproof/sandbox');
  const services = await startSandbox();
  try {
    await mkdir(dir, { recursive: true });
    for (const [name, text] of Object.entries(services.manifests())) await writeManifest(join(dir, name), text);
    const stateDir = join(dir, 'state');
    const { bold, dim } = context.style;
    const resolvers = services.resolvers.map(formatServer).join(',');
    context.out.write(
      [
        `${bold('CA')}         ${services.ca.directoryUrl}\n`,
        `${bold('DNS')}        example.test, child.example.test, shop.test ${dim('(RFC 2136 with TSIG)')}\n`,
        `${bold('acme-dns')}   ${services.acmeDns.url}\n`,
        `${bold('manifests')}  ${dir} ${dim('(edit certificates.yaml: it is read again at once)')}\n`,
        `${bold('state')}      ${stateDir} ${dim(`(zoneproof status --state ${stateDir})`)}\n`,
        // Other processes find its servers at no port 53: they ask its resolver for everything.
        `${bold('preflight')}  ${dim(`zoneproof check ${dir} --dns01-self-check-mode listed-only --dns01-self-check-nameservers ${resolvers}`)}\n\n`,
      ].join(''),
    );
    // The sandbox's authoritative servers have the addresses of its zones, at ports of their own.
    const inside = createContext({ ...context.inputs, transport: services.transport });
    return await runOn(
      {
        paths: [dir],
        stateDir,
        registry: await openRegistry(context),
        resolvers: () => services.resolvers,
      },
      { once: false, logFormat: 'text' },
      inside,
    );
  } finally {
    await services.close();
  }
}

/** Certificates are the user's once they are there; the rest belongs to this start of the sandbox. */
async function writeManifest(path: string, text: string): Promise<void> {
  const before = await readFile(path, 'utf8').catch(() => undefined);
  if (before !== undefined && !before.startsWith(firstLine)) return;
  await writeFile(path, path.endsWith('certificates.yaml') ? text : firstLine + text, { mode: 0o600 });
}

import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Evidence } from '@zoneproof/core';
import { startSandbox } from '@zoneproof/sandbox';
import type { Store } from '../store/index.ts';
import { createContext, type Inputs } from './context.ts';
import { showOutcome } from './outcome.ts';
import { certificateFiles } from './output/certificate-files.ts';
import { evidenceLines } from './output/evidence-lines.ts';
import { createProgressDisplay } from './progress-display.ts';
import { openRegistry } from './registry.ts';
import { aborted, untilStopped } from './signals.ts';
import { startStandalone } from './standalone.ts';
import { span } from './terminal/time-text.ts';

/**
 * The main job from end to end on this machine: an embedded CA, DNS servers and acme-dns, and the real controller
 * that issues an apex + wildcard certificate through `rfc2136` and one through `acmedns`. Ends by itself.
 *
 * @returns the exit code: 0 when both certificates are ready
 */
export async function demo(inputs: Inputs = {}): Promise<number> {
  const context = createContext(inputs);
  const { out, style, clock } = context;
  const begunAt = clock.now();
  const stopping = untilStopped(inputs.signal);
  out.write(
    `${style.bold('zoneproof')}: a CA, DNS servers and acme-dns start on loopback; nothing leaves this machine.\n`,
  );
  const services = await startSandbox();
  try {
    const directory = await mkdtemp(join(tmpdir(), 'zoneproof-demo-'));
    const [manifests, stateDir] = [join(directory, 'manifests.d'), join(directory, 'state')];
    await writeManifests(manifests, services.manifests());
    const rootFile = join(directory, 'sandbox-root.pem');
    await writeFile(rootFile, services.ca.rootPem);
    out.write(`${style.dim('manifests')}  ${manifests}\n${style.dim('CA       ')}  ${services.ca.directoryUrl}\n\n`);

    const inside = createContext({ ...inputs, transport: services.transport });
    const display = createProgressDisplay(inside, 'text');
    const standalone = await startStandalone(
      {
        paths: [manifests],
        stateDir,
        registry: await openRegistry(context),
        resolvers: () => services.resolvers,
        report: display.report,
      },
      inside,
    );
    try {
      const { store, controller } = standalone;
      const evidence = collectEvidence(store);
      display.follow(store);
      await Promise.race([controller.settled(), aborted(stopping.signal)]);
      display.close();

      out.write(
        `\n${style.bold('What the self check saw')} before the CA was asked, at every authoritative server:\n\n`,
      );
      for (const { summary, servers } of evidence.values())
        out.write(`${summary}\n${indent(evidenceLines(servers, style))}\n`);
      out.write(
        `${style.bold('Result')} after ${span(clock.now() - begunAt)}\n\n${showOutcome(store, stateDir, style)}`,
      );
      const ready = readyCertificates(store);
      const [first] = ready;
      if (first !== undefined) {
        const { certificate } = certificateFiles(stateDir, first.namespace, first.name);
        out.write(
          `\nLook at one:\n  openssl x509 -in ${certificate} -noout -subject -issuer -dates -ext subjectAltName\n`,
        );
        out.write(`  openssl verify -CAfile ${rootFile} -untrusted ${certificate} ${certificate}\n`);
        out.write(`\nEdit manifests and watch what happens: npx zoneproof sandbox --dir play\n`);
      }
      return ready.length > 0 && ready.length === store.list('Certificate').length ? 0 : 1;
    } finally {
      display.close();
      await standalone.stop();
    }
  } finally {
    await services.close();
    stopping.release();
  }
}

async function writeManifests(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text, { mode: 0o600 });
}

/** The last evidence for each place of values: Orders, which hold it, go when their certificate is stored. */
function collectEvidence(store: Store): ReadonlyMap<string, Evidence> {
  const seen = new Map<string, Evidence>();
  store.watch(({ kind, namespace, name }) => {
    if (kind !== 'Order') return;
    for (const { evidence } of store.get('Order', namespace, name)?.status.challenges ?? [])
      if (evidence !== undefined) seen.set(evidence.target, evidence);
  });
  return seen;
}

function readyCertificates(store: Store): readonly { readonly namespace: string; readonly name: string }[] {
  return store
    .list('Certificate')
    .filter(({ status }) => status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'))
    .map(({ metadata }) => metadata);
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isProgram) process.exitCode = await demo();

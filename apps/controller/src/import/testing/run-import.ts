import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { ImportReport } from '../../cli/output/import-schema.ts';
import { inDirectory, runMain } from '../../cli/testing/run-main.ts';

export interface Imported {
  readonly code: number;
  readonly report: ImportReport;
  /** By kind and name: `Issuer le`. */
  readonly objects: Readonly<Record<string, Written>>;
  readonly printed: string;
}

export interface Written {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: { readonly acme?: { readonly dns01: object }; readonly dns01?: object };
  readonly data?: Readonly<Record<string, string>>;
}

/** Imports one text through the command line and reads what it wrote. */
export function runImport(text: string, ...options: readonly string[]): Promise<Imported> {
  return inDirectory(async (directory) => {
    const [file, out] = [join(directory, 'cm.yaml'), join(directory, 'out.yaml')];
    await writeFile(file, text);
    const argv = ['import', 'cert-manager', file, '--out', out, ...options];
    const plain = await runMain(argv);
    const json = await runMain([...argv, '-o', 'json']);
    const written = await readFile(out, 'utf8').catch(() => '');
    const objects = parseAllDocuments(written).map(
      (document) => document.toJS() as Written & { kind: string; metadata: { name: string } },
    );
    return {
      code: json.code,
      report: JSON.parse(json.out),
      objects: Object.fromEntries(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object])),
      printed: plain.out + plain.err,
    };
  });
}

/** An Issuer `le` with these solvers, and further fields of `acme`, as JSON. */
export function issuer(solvers: readonly object[], acme: object = {}, kind = 'Issuer'): string {
  return JSON.stringify({
    apiVersion: 'cert-manager.io/v1',
    kind,
    metadata: { name: 'le' },
    spec: {
      acme: {
        server: 'https://ca.example/directory',
        privateKeySecretRef: { name: 'account' },
        solvers,
        ...acme,
      },
    },
  });
}

/** A Certificate `web` of `le`. */
export function certificate(spec: object = {}, metadata: object = {}): string {
  return JSON.stringify({
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { name: 'web', ...metadata },
    spec: { secretName: 'web-tls', dnsNames: ['www.example.com'], issuerRef: { name: 'le' }, ...spec },
  });
}

export const rfc2136 = { dns01: { rfc2136: { nameserver: '192.0.2.53' } } };
export const together = (...documents: readonly string[]): string => documents.join('\n---\n');

import type { ProviderRegistry } from '@zoneproof/core';
import { isHandedOver } from '../resources/adopt.ts';
import { type CertificateSpec, type Kind, objectTitle } from '../resources/index.ts';
import { readCertificate, readIssuerRef } from './certificate.ts';
import { type ManifestDocument, parseDocuments } from './document.ts';
import { listManifestFiles, readManifestFile, secretsDirProblems } from './files.ts';
import { type ManifestHeader, readHeader, suggest } from './header.ts';
import { type CheckedIssuer, readIssuer } from './issuer.ts';
import { type FieldPath, type ManifestProblem, type ReportProblem, showPath } from './problem.ts';
import { checkReferences } from './references.ts';
import { readSecret, type SecretContent } from './secret.ts';
import { createSecretLookup, type FoundSecret } from './secrets.ts';

/** One object of the desired state, as its manifest declares it. */
export interface ManifestObject {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Names as A-labels. Of a Secret: `{type?, data}`, whose data does not print. */
  readonly spec: object;
  readonly source: { readonly file: string; readonly line: number };
}

export interface LoadOptions {
  readonly registry: ProviderRegistry;
  /** Files `NAME/ENTRY`, the same for every namespace. */
  readonly secretsDir?: string;
  readonly readStateSecret?: (namespace: string, name: string) => FoundSecret | undefined;
  /** Secrets that are not given are in a cluster: nothing is said of them. */
  readonly secretsElsewhere?: boolean;
}

interface Draft {
  readonly header: ManifestHeader;
  readonly line: number;
  readonly file: string;
  readonly report: ReportProblem;
}

/**
 * Reads and checks manifests: all problems at once, each with its place, in the order of files and lines. Reads local
 * files only. The objects may be put to use only when no problem is an error.
 */
export async function loadManifests(
  paths: readonly string[],
  options: LoadOptions,
): Promise<{ readonly objects: readonly ManifestObject[]; readonly problems: readonly ManifestProblem[] }> {
  const listed = await listManifestFiles(paths);
  const problems: ManifestProblem[] = [...listed.problems, ...(await secretsDirProblems(options.secretsDir))];
  const texts: ManifestText[] = [];
  for (const file of listed.files) {
    const read = await readManifestFile(file);
    if ('problem' in read) problems.push(read.problem);
    else texts.push({ file, text: read.text });
  }
  const checked = await checkManifests(texts, options);
  problems.push(...checked.problems);
  const order = new Map(listed.files.map((file, i) => [file, i]));
  problems.sort(
    (a, b) =>
      (order.get(a.file) ?? -1) - (order.get(b.file) ?? -1) || a.line - b.line || (a.column ?? 0) - (b.column ?? 0),
  );
  return { objects: checked.objects, problems };
}

/** The content of a manifest file, and how problems call it. */
export interface ManifestText {
  readonly file: string;
  readonly text: string;
}

/** The same for texts that are no files yet; problems come in no particular order. */
export async function checkManifests(
  texts: readonly ManifestText[],
  options: LoadOptions,
): Promise<{ readonly objects: readonly ManifestObject[]; readonly problems: readonly ManifestProblem[] }> {
  const problems: ManifestProblem[] = [];
  const drafts: Draft[] = [];
  for (const { file, text } of texts) {
    const parsed = parseDocuments(file, text);
    problems.push(...parsed.problems);
    for (const document of parsed.documents) {
      const draft = readDraft(document, problems);
      if (draft !== undefined) drafts.push(draft);
    }
  }
  return { objects: await readObjects(withoutRepeats(drafts), options), problems };
}

function readDraft(document: ManifestDocument, problems: ManifestProblem[]): Draft | undefined {
  let object: string | undefined;
  const report = (path: FieldPath, message: string, severity: ManifestProblem['severity'] = 'error'): void => {
    const sentence = /[.?!]$/.test(message) ? message : `${message}.`;
    const text = path.length === 0 ? sentence : `${showPath(path)}: ${sentence}`;
    problems.push({ file: document.file, ...document.at(path), severity, message: text, ...(object && { object }) });
  };
  const header = readHeader(document, report);
  if (header === undefined) return undefined;
  object = objectTitle(header);
  if (header.kind !== 'Secret') {
    const known = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];
    for (const field of Object.keys(header.fields))
      if (!known.includes(field)) report([field], `unknown field${suggest(field, known)}`);
  }
  return { header, file: document.file, line: document.at([]).line, report };
}

function withoutRepeats(drafts: readonly Draft[]): readonly Draft[] {
  const first = new Map<string, Draft>();
  for (const draft of drafts) {
    const title = objectTitle(draft.header);
    const earlier = first.get(title);
    if (earlier === undefined) first.set(title, draft);
    else
      draft.report(
        ['metadata', 'name'],
        `${title} is declared already at ${earlier.file}:${earlier.line}; remove one.`,
      );
  }
  return [...first.values()];
}

async function readObjects(drafts: readonly Draft[], options: LoadOptions): Promise<ManifestObject[]> {
  const contents = new Map<Draft, SecretContent | CheckedIssuer | CertificateSpec | undefined>();
  const ofKind = (...kinds: Kind[]): Draft[] => drafts.filter(({ header }) => kinds.includes(header.kind));

  const secretDrafts = ofKind('Secret').map((draft) => ({ draft, content: readSecret(draft.header, draft.report) }));
  for (const { draft, content } of secretDrafts) contents.set(draft, content);
  const secrets = createSecretLookup({
    ...options,
    manifests: new Map(
      // What is handed over is zoneproof's to write.
      secretDrafts
        .filter(({ draft }) => !isHandedOver(draft.header))
        .map(({ draft: { header }, content }) => [`${header.namespace}/${header.name}`, content.data]),
    ),
  });

  const issuers = [];
  for (const draft of ofKind('Issuer', 'ClusterIssuer')) {
    const checked = await readIssuer(draft.header, options.registry, secrets, draft.report);
    contents.set(draft, checked);
    issuers.push({ ...draft.header, kind: draft.header.kind as 'Issuer' | 'ClusterIssuer', checked });
  }
  const certificates = [];
  for (const draft of ofKind('Certificate')) {
    const spec = readCertificate(draft.header, draft.report);
    contents.set(draft, spec);
    certificates.push({ ...draft.header, spec, issuerRef: readIssuerRef(draft.header), report: draft.report });
  }
  checkReferences(certificates, issuers, secrets);

  return drafts.flatMap((draft) => {
    const content = contents.get(draft);
    const spec = content !== undefined && 'providers' in content ? content.spec : content;
    if (spec === undefined) return [];
    const { kind, namespace, name, labels, annotations } = draft.header;
    const source = { file: draft.file, line: draft.line };
    return [{ kind, namespace, name, ...(labels && { labels }), ...(annotations && { annotations }), spec, source }];
  });
}

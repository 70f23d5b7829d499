import { readFile, stat } from 'node:fs/promises';
import { type DnsName, toDnsName } from '@zoneproof/dns';
import { writeFileAtomically } from '../store/atomic-file.ts';
import { CommandError } from './context.ts';

/** An account as the register endpoint of acme-dns returns it. */
export interface AcmednsAccount {
  readonly username: string;
  readonly password: string;
  readonly fulldomain: string;
  readonly subdomain: string;
  readonly allowfrom: readonly string[];
}

/** A credentials document as it is, members we do not know included. */
export type CredentialsDocument = Readonly<Record<string, unknown>>;

/**
 * Reads the document; an empty one when the file is not there.
 *
 * @throws CommandError when it is there and no credentials document: it is left untouched
 */
export async function readDocument(file: string): Promise<CredentialsDocument> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw new CommandError(`${file} cannot be read (${code}).`);
  }
  try {
    const document: unknown = JSON.parse(text);
    if (typeof document === 'object' && document !== null && !Array.isArray(document))
      return document as CredentialsDocument;
  } catch {
    // The parser's message would repeat the text, passwords included.
  }
  throw new CommandError(
    `${file} is no credentials document (a JSON object whose keys are domains) and is left as it is. Repair it or give another --out.`,
  );
}

/** The account that the document has for exactly this domain. */
export function accountIn(
  document: CredentialsDocument,
  domain: DnsName,
): Pick<AcmednsAccount, 'fulldomain'> | undefined {
  for (const [key, value] of Object.entries(document)) {
    const { fulldomain } = (typeof value === 'object' && value !== null ? value : {}) as { fulldomain?: unknown };
    if (typeof fulldomain === 'string' && keyOf(key) === domain) return { fulldomain };
  }
  return undefined;
}

/**
 * Adds one account, atomically and for the owner's eyes only. The file is read again first, so that what others added
 * meanwhile stays.
 */
export async function addAccount(file: string, domain: DnsName, account: AcmednsAccount): Promise<void> {
  const document = await readDocument(file);
  await writeFileAtomically(file, `${JSON.stringify({ ...document, [domain]: account }, undefined, 2)}\n`);
}

/** Says early that the file's directory is not there: an account registered and not stored is lost. */
export async function assertWritable(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new CommandError(`there is no directory ${directory} for the credentials document.`);
}

function keyOf(key: string): DnsName | undefined {
  try {
    return toDnsName(key.replace(/^\*\./, ''));
  } catch {
    return undefined;
  }
}

import { join } from 'node:path';

/** Where the current key and chain of a certificate lie. */
export interface CertificateFiles {
  /** The chain, end certificate first. */
  readonly certificate: string;
  readonly key: string;
}

export function certificateFiles(stateDir: string, namespace: string, name: string): CertificateFiles {
  const directory = join(stateDir, 'certs', namespace, name);
  return { certificate: join(directory, 'tls.crt'), key: join(directory, 'tls.key') };
}

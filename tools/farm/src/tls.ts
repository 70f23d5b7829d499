import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tool } from './tools.ts';

const run = promisify(execFile);

export interface LocalhostTls {
  readonly certificateFile: string;
  readonly keyFile: string;
  /** The root that signed it: what clients have to trust. */
  readonly rootFile: string;
  readonly rootKeyFile: string;
  readonly rootPem: string;
}

/** A root and, signed by it, a certificate for `localhost`, 127.0.0.1 and ::1; valid for 2 days. */
export async function createLocalhostTls(directory: string): Promise<LocalhostTls> {
  const file = (name: string) => join(directory, name);
  const openssl = (...args: readonly string[]) => run(tool('openssl'), [...args]);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await writeFile(
    file('leaf.ext'),
    'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n',
  );
  await openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    file('root.key'),
    '-out',
    file('root.pem'),
    '-days',
    '2',
    '-subj',
    '/CN=zoneproof test root',
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
  );
  await openssl('req', ...newKey, '-keyout', file('leaf.key'), '-out', file('leaf.csr'), '-subj', '/CN=localhost');
  await openssl(
    'x509',
    '-req',
    '-in',
    file('leaf.csr'),
    '-CA',
    file('root.pem'),
    '-CAkey',
    file('root.key'),
    '-set_serial',
    '1',
    '-days',
    '2',
    '-extfile',
    file('leaf.ext'),
    '-out',
    file('leaf.pem'),
  );
  return {
    certificateFile: file('leaf.pem'),
    keyFile: file('leaf.key'),
    rootFile: file('root.pem'),
    rootKeyFile: file('root.key'),
    rootPem: await readFile(file('root.pem'), 'utf8'),
  };
}

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tool } from './tools.ts';
import { type FarmZone, zoneFile } from './zone-file.ts';

const run = promisify(execFile);

/** What dnssec-keygen of BIND 9.18 signs with. */
export const signingAlgorithms = [
  'RSASHA1',
  'RSASHA256',
  'RSASHA512',
  'ECDSAP256SHA256',
  'ECDSAP384SHA384',
  'ED25519',
  'ED448',
] as const;

export type SigningAlgorithm = (typeof signingAlgorithms)[number];

export interface SignOptions {
  /** One pair of keys for each, KSK and ZSK; ECDSAP256SHA256 when left out. */
  readonly algorithms?: readonly SigningAlgorithm[];
  /** Dates of all signatures; from an hour ago for 30 days when left out. They may lie in the past or the future. */
  readonly from?: Date;
  readonly until?: Date;
  /** The server's address, 127.0.0.1 when left out. */
  readonly address?: string;
}

export interface SignedZone extends FarmZone {
  /** The zone file; a test breaks the zone by changing it. */
  readonly file: string;
  /** The DS records of its keys as lines for the `records` of its parent. */
  readonly ds: readonly string[];
}

/** Signs a zone with the tools of BIND, under new keys. A server serves it as it is: dynamic updates are not signed. */
export async function signZone(zone: FarmZone, options: SignOptions = {}): Promise<SignedZone> {
  const directory = await mkdtemp(join(tmpdir(), 'zoneproof-sign-'));
  try {
    await writeFile(join(directory, 'zone'), zoneFile(zone, options.address ?? '127.0.0.1'));
    for (const algorithm of options.algorithms ?? ['ECDSAP256SHA256'])
      for (const role of [['-f', 'KSK'], []])
        await run(tool('dnssec-keygen'), [
          '-q',
          '-K',
          directory,
          '-a',
          algorithm,
          ...bits(algorithm),
          ...role,
          zone.name,
        ]);
    const dates = [
      ...(options.from ? ['-s', dateText(options.from)] : []),
      ...(options.until ? ['-e', dateText(options.until)] : []),
    ];
    // -S takes the keys of the directory, -x signs DNSKEY with the KSK only, -P lets signatures be expired.
    const args = ['-S', '-x', '-P', '-q', '-j', '0', '-K', directory, '-d', directory, ...dates];
    await run(tool('dnssec-signzone'), [...args, '-o', zone.name, '-f', join(directory, 'signed'), 'zone'], {
      cwd: directory,
    });
    const ds = await readFile(join(directory, `dsset-${zone.name}.`), 'utf8');
    return {
      ...zone,
      file: await readFile(join(directory, 'signed'), 'utf8'),
      ds: ds.split('\n').filter((line) => line !== ''),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function bits(algorithm: SigningAlgorithm): readonly string[] {
  return algorithm.startsWith('RSA') ? ['-b', '1024'] : [];
}

function dateText(date: Date): string {
  return date.toISOString().replace(/\D/g, '').slice(0, 14);
}

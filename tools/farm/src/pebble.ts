import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { type RunningServer, startServer } from './process.ts';
import { createLocalhostTls, type LocalhostTls } from './tls.ts';
import { tool } from './tools.ts';

export interface PebbleOptions {
  /** The server that pebble asks for everything, `127.0.0.1:5300`: a resolver, or a server of all zones of the test. */
  readonly dns: string;
  /** Percentage of good nonces that are refused; 0 when left out (pebble's own default is 5). */
  readonly nonceRejectPercent?: number;
  /** Percentage of authorizations that are reused by later orders; 0 when left out (pebble's own default is 50). */
  readonly authzReusePercent?: number;
  /** External account binding is demanded: key id -> MAC key in base64url. */
  readonly eab?: Readonly<Record<string, string>>;
  /** Lifetime of certificates in seconds; 90 days when left out. */
  readonly validityPeriod?: number;
  /** More profiles by name; `default` is always there. */
  readonly profiles?: Readonly<Record<string, { readonly description: string; readonly validityPeriod: number }>>;
  /** Retry-After in seconds on pending authorizations and orders that are processing; 0 when left out. */
  readonly retryAfter?: { readonly authz: number; readonly order: number };
  readonly alternateRoots?: number;
  /** Every challenge counts as solved, unseen. */
  readonly alwaysValid?: boolean;
  /** Names (with all below them) that the CA refuses. */
  readonly blocked?: readonly string[];
}

export interface Pebble extends RunningServer {
  readonly directoryUrl: string;
  /** The root of pebble's own TLS certificate, to be trusted by its clients. */
  readonly rootPem: string;
  /** The same in a file. */
  readonly rootFile: string;
  /** Root `index` of the chains it issues (0 = the default one), PEM. */
  issuingRoot(index?: number): Promise<string>;
}

/** Let's Encrypt's test CA. Validates at once; loses everything when it stops. */
export async function startPebble(options: PebbleOptions): Promise<Pebble> {
  let port = 0;
  let managementPort = 0;
  let tls: LocalhostTls | undefined;
  const server = await startServer('pebble', async (directory) => {
    port = await freePort();
    managementPort = await freePort();
    const made = await createLocalhostTls(directory);
    tls = made;
    const config = join(directory, 'pebble.json');
    await writeFile(config, JSON.stringify(pebbleConfig(options, made, port, managementPort)));
    return {
      command: tool('pebble'),
      args: ['-config', config, '-dnsserver', options.dns],
      env: {
        PEBBLE_VA_NOSLEEP: '1',
        ...(options.alwaysValid && { PEBBLE_VA_ALWAYS_VALID: '1' }),
        PEBBLE_WFE_NONCEREJECT: String(options.nonceRejectPercent ?? 0),
        PEBBLE_AUTHZREUSE: String(options.authzReusePercent ?? 0),
        PEBBLE_ALTERNATE_ROOTS: String(options.alternateRoots ?? 0),
      },
      ready: () => get(`https://127.0.0.1:${port}/dir`, made.rootPem),
    };
  });
  const { rootPem, rootFile } = tls as LocalhostTls;
  return {
    ...server,
    directoryUrl: `https://127.0.0.1:${port}/dir`,
    rootPem,
    rootFile,
    issuingRoot: (index = 0) => get(`https://127.0.0.1:${managementPort}/roots/${index}`, rootPem),
  };
}

function pebbleConfig(options: PebbleOptions, tls: LocalhostTls, port: number, managementPort: number): object {
  const validityPeriod = options.validityPeriod ?? 90 * 86_400;
  return {
    pebble: {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${managementPort}`,
      certificate: tls.certificateFile,
      privateKey: tls.keyFile,
      // Ports of http-01 and tls-alpn-01, which nothing here uses.
      httpPort: 1,
      tlsPort: 1,
      retryAfter: options.retryAfter ?? { authz: 0, order: 0 },
      keyAlgorithm: 'ecdsa',
      externalAccountBindingRequired: options.eab !== undefined,
      externalAccountMACKeys: options.eab ?? {},
      domainBlocklist: options.blocked ?? [],
      profiles: { default: { description: 'the default profile', validityPeriod }, ...options.profiles },
    },
  };
}

function get(url: string, rootPem: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // RFC 8555 6.1 asks for a User-Agent; pebble answers 400 without one.
    const headers = { 'user-agent': 'zoneproof-farm' };
    const sent = request(url, { ca: rootPem, headers, agent: false, timeout: 5000 }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(Buffer.concat(chunks).toString('utf8'));
        else reject(new Error(`${url} answered ${answer.statusCode}`));
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`${url} did not answer within 5 s`)));
    sent.on('error', reject);
    sent.end();
  });
}

import { connect } from 'node:net';
import { freePort } from './ports.ts';
import { type RunningServer, startServer } from './process.ts';
import { createLocalhostTls, type LocalhostTls } from './tls.ts';
import { tool } from './tools.ts';

export interface Moto extends RunningServer {
  /** `https://127.0.0.1:PORT`: all of AWS at one origin; the credential scope of a request tells the service. */
  readonly origin: string;
  /** PEM of the root to trust. */
  readonly rootPem: string;
}

/** moto, an emulator of AWS by other hands. It checks no signatures and few rules; loses everything when it stops. */
export async function startMoto(): Promise<Moto> {
  let port = 0;
  let tls: LocalhostTls | undefined;
  const server = await startServer('moto', async (directory) => {
    port = await freePort();
    const made = await createLocalhostTls(directory);
    tls = made;
    return {
      command: tool('moto_server'),
      args: ['-H', '127.0.0.1', '-p', `${port}`, '-s', '-c', made.certificateFile, '-k', made.keyFile],
      ready: () => answers(port),
    };
  });
  return { ...server, origin: `https://127.0.0.1:${port}`, rootPem: (tls as LocalhostTls).rootPem };
}

function answers(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

import { readFile } from 'node:fs/promises';
import { type RequestOptions, request } from 'node:https';

/** An answer as it comes in. */
export interface PlainAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The lines so far. */
  readonly lines: readonly string[];
  /** Resolves with the lines once there are `count`. @throws Error when the answer ends before, or after 10 s */
  until(count: number): Promise<readonly string[]>;
  /** Resolves with the whole body. @throws Error when the connection breaks, or after 10 s */
  end(): Promise<string>;
  close(): void;
}

export type PlainClient = (method: string, path: string, body?: object) => Promise<PlainAnswer>;

/** A client of nothing but node:https, with the address and credentials of a kubeconfig of the farm. */
export async function plainClient(kubeconfig: string): Promise<PlainClient> {
  const config = JSON.parse(await readFile(kubeconfig, 'utf8'));
  const { cluster } = config.clusters[0];
  const { user } = config.users[0];
  const options: RequestOptions = {
    agent: false,
    ca: decode(cluster['certificate-authority-data']),
    headers: { 'content-type': 'application/json', ...(user.token && { authorization: `Bearer ${user.token}` }) },
    ...(user['client-key-data'] && {
      cert: decode(user['client-certificate-data']),
      key: decode(user['client-key-data']),
    }),
  };
  return (method, path, body) => send(`${cluster.server}${path}`, { ...options, method }, body);
}

function send(url: string, options: RequestOptions, body: object | undefined): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (source) => {
      let text = '';
      source.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      let broken: Error | undefined;
      source.on('error', (error) => {
        broken = error;
      });
      const lines = () => text.split('\n').slice(0, -1);
      const wait = async (enough: () => boolean, what: string) => {
        const deadline = Date.now() + 10_000;
        while (!enough()) {
          if (broken !== undefined) throw broken;
          if (source.readableEnded) throw new Error(`the answer ended before ${what}`);
          if (Date.now() > deadline) throw new Error(`10 s have passed without ${what}`);
          await new Promise((wake) => setTimeout(wake, 5));
        }
      };
      resolve({
        status: source.statusCode ?? 0,
        retryAfter: source.headers['retry-after'],
        get lines() {
          return lines();
        },
        until: (count) => wait(() => lines().length >= count, `${count} lines`).then(lines),
        end: () => wait(() => source.readableEnded, 'its end').then(() => text),
        close: () => source.destroy(),
      });
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

function decode(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { flattenedVerify, importJWK, type JWK } from 'jose';

/** A request as the CA saw it, its JWS checked and opened. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Protected header; empty for GET and HEAD. */
  readonly header: Readonly<Record<string, unknown>>;
  /** Payload as sent: `''` for POST-as-GET. */
  readonly payload: string;
  readonly nonce: string | undefined;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly type?: string;
  /** false: the answer carries no Replay-Nonce. */
  readonly nonce?: boolean;
}

type Route = Reply | ((seen: Seen) => Reply | Promise<Reply>);

/**
 * A CA on a free loopback port that accepts nothing RFC 8555 forbids: each nonce once, `url` to the letter, `jwk` for
 * newAccount and `kid` for all else, flattened JWS with a valid signature. What a client does wrong is in `violations`.
 */
export class FakeCa {
  readonly seen: Seen[] = [];
  readonly violations: string[] = [];
  readonly accounts = new Map<string, JWK>();
  /** Refuses this many nonces, good as they are. */
  rejectNonces = 0;
  readonly #server: Server;
  readonly #nonces = new Set<string>();
  readonly #once = new Map<string, Route[]>();
  readonly #routes = new Map<string, Route>();
  #nonceCount = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<FakeCa> {
    const server = createServer((request, response) => void ca.#serve(request, response));
    const ca = new FakeCa(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ca.#addDefaults();
    return ca;
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get directoryUrl(): string {
    return `${this.base}/dir`;
  }

  /** The next request of this path gets this answer; several calls queue up. */
  once(path: string, ...replies: Route[]): void {
    this.#once.set(path, [...(this.#once.get(path) ?? []), ...replies]);
  }

  /** Every request of this path gets this answer. */
  always(path: string, reply: Route): void {
    this.#routes.set(path, reply);
  }

  paths(): string[] {
    return this.seen.map(({ method, path }) => `${method} ${path}`);
  }

  last(path: string): Seen {
    const found = this.seen.findLast((each) => each.path === path);
    if (!found) throw new Error(`nothing asked for ${path}`);
    return found;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '';
    let reply: Reply;
    const opened = await this.#open(request, path, Buffer.concat(chunks).toString());
    if ('refusal' in opened) {
      reply = opened.refusal;
    } else {
      this.seen.push(opened.seen);
      const route = this.#once.get(path)?.shift() ?? this.#routes.get(path);
      reply =
        route === undefined ? problem('malformed', 404) : route instanceof Function ? await route(opened.seen) : route;
    }
    this.#send(response, reply, request.method === 'HEAD');
  }

  #send(response: ServerResponse, reply: Reply, head: boolean): void {
    const headers: Record<string, string | string[]> = { 'cache-control': 'no-store', ...reply.headers };
    if (reply.nonce !== false) {
      // Encodes to 16 characters with the top bit set, so that `-` and `_` occur.
      const nonce = Buffer.from([0xfb, 0xff, ...Buffer.from(`nonce${String(this.#nonceCount++).padStart(5, '0')}`)]);
      headers['replay-nonce'] = nonce.toString('base64url');
      this.#nonces.add(headers['replay-nonce']);
    }
    const type = reply.type ?? (reply.json === undefined ? undefined : 'application/json');
    if (type !== undefined) headers['content-type'] = type;
    response.writeHead(reply.status ?? 200, headers);
    response.end(head ? undefined : (reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json))));
  }

  async #open(request: IncomingMessage, path: string, body: string): Promise<{ seen: Seen } | { refusal: Reply }> {
    const plain = { method: request.method ?? '', path, headers: request.headers };
    const wrong = (what: string) => {
      this.violations.push(`${request.method} ${path}: ${what}`);
      return { refusal: problem('malformed', 400, what) };
    };
    if (!request.headers['user-agent']) return wrong('no User-Agent');
    if (request.method !== 'POST') return { seen: { ...plain, header: {}, payload: '', nonce: undefined } };
    if (request.headers['content-type'] !== 'application/jose+json') return wrong('content-type');
    const jws = JSON.parse(body) as Record<string, string>;
    if (Object.keys(jws).sort().join() !== 'payload,protected,signature') return wrong('members of the JWS');
    if (!Object.values(jws).every((part) => /^[A-Za-z0-9_-]*$/.test(part))) return wrong('not base64url');
    const header = JSON.parse(Buffer.from(jws.protected!, 'base64url').toString()) as Record<string, unknown>;
    const isNewAccount = path === '/acct';
    if (Object.keys(header).sort().join() !== (isNewAccount ? 'alg,jwk,nonce,url' : 'alg,kid,nonce,url')) {
      return wrong(`protected header ${Object.keys(header)}`);
    }
    if (header.url !== `${this.base}${path}`) return wrong(`url ${String(header.url)}`);
    const jwk = isNewAccount ? (header.jwk as JWK) : this.accounts.get(header.kid as string);
    if (!jwk) return wrong(`kid ${String(header.kid)}`);
    if ('d' in jwk) return wrong('private key in jwk');
    try {
      await flattenedVerify(jws as never, await importJWK(jwk, header.alg as string));
    } catch {
      return wrong('signature');
    }
    const nonce = header.nonce as string;
    const known = this.#nonces.delete(nonce);
    if (!known) this.violations.push(`${path}: nonce ${nonce} used twice or never given out`);
    const payload = Buffer.from(jws.payload!, 'base64url').toString();
    const seen = { ...plain, header, payload, nonce };
    if (known && this.rejectNonces === 0) return { seen };
    this.rejectNonces -= known ? 1 : 0;
    this.seen.push(seen);
    return { refusal: problem('badNonce', 400, 'JWS has an invalid anti-replay nonce') };
  }

  /** One account, one order for example.com and *.example.com, valid after `respond` and `finalize`. */
  #addDefaults(): void {
    const url = (path: string) => `${this.base}${path}`;
    const names = ['example.com', '*.example.com'];
    const state = { order: 'pending', authz: ['pending', 'pending'], chain: '' };
    const order = (): Reply => ({
      headers: state.order === 'processing' ? { 'retry-after': '3' } : {},
      json: {
        status: state.order,
        expires: '2030-01-01T00:00:00Z',
        identifiers: names.map((value) => ({ type: 'dns', value })),
        authorizations: [url('/authz/1'), url('/authz/0')],
        finalize: url('/finalize'),
        ...(state.order === 'valid' && { certificate: url('/cert') }),
      },
    });
    this.always('/dir', {
      json: {
        newNonce: url('/nonce'),
        newAccount: url('/acct'),
        newOrder: url('/order'),
        revokeCert: url('/revoke'),
        keyChange: url('/key-change'),
        renewalInfo: url('/renewal-info'),
        aT5dXeRandom: 'https://community.letsencrypt.org/t/adding-random-entries-to-the-directory/33417',
        meta: { termsOfService: url('/terms'), caaIdentities: ['ca.example'], profiles: { short: 'six days' } },
      },
    });
    this.always('/nonce', {});
    this.always('/acct', ({ header, payload }) => {
      const existed = this.accounts.has(url('/acct/1'));
      if (!existed && payload.includes('onlyReturnExisting')) return problem('accountDoesNotExist', 400);
      this.accounts.set(url('/acct/1'), header.jwk as JWK);
      return { status: existed ? 200 : 201, headers: { location: url('/acct/1') }, json: { status: 'valid' } };
    });
    this.always('/acct/1', { json: { status: 'valid' } });
    this.always('/order', () => ({ ...order(), status: 201, headers: { location: url('/order/1') } }));
    this.always('/order/1', () => {
      const reply = order();
      if (state.order === 'processing') state.order = 'valid';
      return reply;
    });
    for (const [index, name] of names.entries()) {
      this.always(`/authz/${index}`, ({ payload }) => {
        if (payload) state.authz[index] = 'deactivated';
        return {
          json: {
            status: state.authz[index],
            expires: '2030-01-01T00:00:00Z',
            identifier: { type: 'dns', value: name.replace('*.', '') },
            ...(name.startsWith('*.') && { wildcard: true }),
            challenges: [
              {
                type: 'dns-persist-01',
                url: url('/chall/persist'),
                status: 'pending',
                issuerDomainNames: ['ca.example'],
              },
              { type: 'dns-01', url: url(`/chall/${index}`), status: state.authz[index], token: `token-${index}` },
            ],
          },
        };
      });
      this.always(`/chall/${index}`, () => {
        state.authz[index] = 'valid';
        if (state.authz.every((status) => status === 'valid')) state.order = 'ready';
        return { json: { type: 'dns-01', url: url(`/chall/${index}`), status: 'processing', token: `token-${index}` } };
      });
    }
    this.always('/finalize', async ({ payload }) => {
      if (state.order !== 'ready') return problem('orderNotReady', 403);
      state.order = 'processing';
      const { csr } = JSON.parse(payload) as { csr: string };
      const { issueChain } = await import('./issue.ts'); // slow to load, and few tests come here
      state.chain = (await issueChain({ csrDer: Buffer.from(csr, 'base64url') })).pemChain;
      return order();
    });
    this.always('/cert', () => ({
      type: 'application/pem-certificate-chain',
      text: state.chain,
      headers: { link: [`<${url('/cert/alt')}>;rel="alternate"`, `<${url('/dir')}>;rel="index"`] },
    }));
  }
}

/** An answer with a problem document. */
export function problem(type: string, status: number, detail = `test: ${type}`, extra: object = {}): Reply {
  return {
    status,
    type: 'application/problem+json',
    json: { type: `urn:ietf:params:acme:error:${type}`, detail, status, ...extra },
  };
}

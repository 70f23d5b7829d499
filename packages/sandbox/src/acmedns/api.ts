import type { IncomingMessage, RequestListener } from 'node:http';
import { type AcmeDnsAccounts, InvalidCidrError } from './accounts.ts';

/** An answer to send in place of the next one. */
export interface AcmeDnsFault {
  readonly at: 'register' | 'update' | 'health';
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** True: what was asked is done all the same. */
  readonly applied?: boolean;
}

export interface ApiState {
  readonly accounts: AcmeDnsAccounts;
  readonly registration: boolean;
  takeFault(at: AcmeDnsFault['at']): AcmeDnsFault | undefined;
  onUpdate(subdomain: string, value: string): void;
  onRequest(at: AcmeDnsFault['at']): void;
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly type?: 'application/json' | 'text/plain; charset=utf-8';
  readonly headers?: Readonly<Record<string, string>>;
}

/** The HTTP API of acme-dns, answers and status codes as its `pkg/api` gives them. */
export function createApi(state: ApiState): RequestListener {
  return (request, response) => {
    void answer(state, request)
      .catch((): Reply => json(500, { error: 'json_error' }))
      .then(({ status, body, type, headers }) => {
        const length = { 'content-length': String(Buffer.byteLength(body)) };
        response.writeHead(status, { ...(type && { 'content-type': type }), ...length, ...headers }).end(body);
      });
  };
}

const maxBodyOctets = 16 * 1024;

async function answer(state: ApiState, request: IncomingMessage): Promise<Reply> {
  const body = await readBody(request);
  const path = (request.url ?? '').split('?')[0];
  const known = path === '/update' || path === '/health' || (path === '/register' && state.registration);
  if (!known) return text(404, '404 page not found\n');
  const at = path.slice(1) as AcmeDnsFault['at'];
  if (request.method !== (at === 'health' ? 'GET' : 'POST')) return text(405, 'Method Not Allowed\n');
  state.onRequest(at);
  const fault = state.takeFault(at);
  if (!fault || fault.applied) {
    const reply =
      at === 'health'
        ? { status: 200, body: '' }
        : at === 'register'
          ? register(state, body)
          : update(state, request, body);
    if (!fault) return reply;
  }
  return { ...text(fault.status, fault.body ?? ''), ...(fault.headers && { headers: fault.headers }) };
}

function register(state: ApiState, body: string): Reply {
  let asked: unknown;
  try {
    asked = body === '' ? null : JSON.parse(body);
  } catch {
    return json(400, { error: 'malformed_json_payload' });
  }
  const allowfrom = asked === null ? [] : isObject(asked) ? (asked.allowfrom ?? []) : undefined;
  if (!Array.isArray(allowfrom) || !allowfrom.every((range): range is string => typeof range === 'string'))
    return json(400, { error: 'malformed_json_payload' });
  try {
    return json(201, { ...state.accounts.register(allowfrom) });
  } catch (error) {
    if (error instanceof InvalidCidrError) return json(400, { error: 'invalid_allowfrom_cidr' });
    throw error;
  }
}

function update(state: ApiState, request: IncomingMessage, body: string): Reply {
  const user = String(request.headers['x-api-user'] ?? '');
  const password = String(request.headers['x-api-key'] ?? '');
  const source = request.socket.remoteAddress ?? '';
  let asked: unknown;
  try {
    asked = JSON.parse(body);
  } catch {
    asked = undefined;
  }
  // One answer for whatever is wrong: user, key, source address, subdomain, JSON.
  if (!isObject(asked) || !state.accounts.mayUpdate({ user, password, source, subdomain: asked.subdomain }))
    return json(401, { error: 'forbidden' });
  const { subdomain, txt } = asked;
  if (typeof subdomain !== 'string' || !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(subdomain))
    return json(400, { error: 'bad_subdomain' });
  if (typeof txt !== 'string' || !/^[\w-]{43}$/.test(txt)) return json(400, { error: 'bad_txt' });
  state.accounts.update(subdomain, txt);
  state.onUpdate(subdomain, txt);
  return json(200, { txt });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    octets += chunk.length;
    if (octets <= maxBodyOctets) chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function json(status: number, body: object): Reply {
  return { status, body: JSON.stringify(body), type: 'application/json' };
}

function text(status: number, body: string): Reply {
  return { status, body, type: 'text/plain; charset=utf-8' };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, Faults } from './faults.ts';
import type { ApiAnswer, ApiRequest, SeenRequest } from './request.ts';
import { createTestIdentity } from './test-ca.ts';

/** What a vendor's emulator brings: its API, and the forms of its refusals. */
export interface EmulatedApi {
  /** The vendor's name of the call. */
  actionOf(request: ApiRequest): string;
  isWrite(action: string): boolean;
  /** `pretend`: answer as for a success and change nothing. */
  answer(request: ApiRequest, options: { readonly pretend: boolean }): ApiAnswer | Promise<ApiAnswer>;
  /** The vendor's answer to too many requests. */
  throttled(retryAfterSeconds: number | undefined): ApiAnswer;
  /** The vendor's answer when it is down. */
  unavailable(): ApiAnswer;
}

/** A running emulator: HTTPS on a free port of 127.0.0.1, with a certificate from a CA of its own. */
export interface EmulatorServer {
  /** `https://127.0.0.1:PORT` */
  readonly origin: string;
  /** PEM of the CA to trust. */
  readonly caBundle: string;
  /** Every request, in order of arrival. */
  readonly seen: readonly SeenRequest[];
  /** Arms a fault; the result takes it back. */
  fail(fault: Fault): () => void;
  close(): Promise<void>;
}

const maxBodyBytes = 8 * 1024 * 1024;

export async function startEmulatorServer(api: EmulatedApi): Promise<EmulatorServer> {
  const identity = await createTestIdentity();
  const faults = new Faults();
  const seen: SeenRequest[] = [];
  const stopping = new AbortController();

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    const { method, target } = request;
    const action = api.actionOf(request);
    const at = seen.push({ method, target, action, status: 0 }) - 1;
    const fault = faults.meet(action, api.isWrite(action));
    const answer = await answerUnder(fault, request);
    if (answer === undefined) {
      incoming.socket.destroy();
      return;
    }
    seen[at] = { method, target, action, status: answer.status };
    const isText = typeof answer.body === 'string';
    const body = answer.body === undefined || isText ? answer.body : JSON.stringify(answer.body);
    const type = isText || answer.body === undefined ? {} : { 'content-type': 'application/json' };
    response.writeHead(answer.status, { ...type, ...answer.headers }).end(body);
  }

  async function answerUnder(fault: Fault | undefined, request: ApiRequest): Promise<ApiAnswer | undefined> {
    switch (fault?.kind) {
      case 'throttled':
        return api.throttled(fault.retryAfterSeconds);
      case 'server-error':
        return api.unavailable();
      case 'html':
        return htmlPage(fault.status);
      case 'reset':
        return undefined;
      case 'lose-answer':
        await api.answer(request, { pretend: false });
        return undefined;
      case 'slow':
        await delay(fault.ms, undefined, { signal: stopping.signal }).catch(() => undefined);
        break;
      case 'pretend':
        return api.answer(request, { pretend: true });
      case 'before':
        await fault.run(request);
        break;
      case 'change-answer':
        return fault.change(await api.answer(request, { pretend: false }));
    }
    return api.answer(request, { pretend: false });
  }

  const server = createServer({ key: identity.key, cert: identity.cert }, (incoming, response) => {
    // An emulator that throws is a defect of the emulator: the test has to see it, whatever the client makes of it.
    serve(incoming, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: identity.caBundle,
    seen,
    fail: (fault) => faults.add(fault),
    close() {
      stopping.abort();
      return closeServer(server);
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<ApiRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += (chunk as Buffer).length;
    if (size > maxBodyBytes) throw new Error('the request is larger than any that a provider sends');
    chunks.push(chunk as Buffer);
  }
  const target = incoming.url ?? '/';
  const [path = '/', query = ''] = target.split(/\?(.*)/s);
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
  return {
    method: incoming.method ?? 'GET',
    target,
    path,
    query: new URLSearchParams(query),
    headers,
    body: Buffer.concat(chunks),
  };
}

function htmlPage(status: number): ApiAnswer {
  const body = `<html><head><title>${status}</title></head><body><h1>The proxy has no answer</h1></body></html>\n`;
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

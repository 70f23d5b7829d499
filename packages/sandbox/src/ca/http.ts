import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from './problem.ts';
import type { Answer } from './state.ts';

const maxBodyOctets = 256 * 1024;

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    // Read to the end, so that the answer still reaches the client.
    octets += chunk.length;
    if (octets <= maxBodyOctets) chunks.push(chunk);
  }
  if (octets > maxBodyOctets)
    throw new Problem('malformed', `the body has more than ${maxBodyOctets} octets`, { status: 413 });
  return Buffer.concat(chunks).toString();
}

/** Sends an answer with what every answer carries: the link to the directory and a fresh nonce (RFC 8555 6.5, 7.1). */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  ca: { readonly directory: string; readonly nonce: () => string },
): void {
  response.statusCode = answer.status;
  const headers = new Map(Object.entries(answer.headers ?? {}));
  const { body } = answer;
  if (typeof body === 'object' && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const fromBalancer = headers.get('content-type') === 'text/html';
  if (request.url !== '/directory' && !fromBalancer) {
    headers.set('replay-nonce', ca.nonce());
    headers.set('link', [`<${ca.directory}>;rel="index"`, ...[headers.get('link') ?? []].flat()]);
  }
  for (const [name, value] of headers) response.setHeader(name, value);
  response.end(
    request.method === 'HEAD' || body === undefined
      ? undefined
      : typeof body === 'string'
        ? body
        : JSON.stringify(body),
  );
}

export function problemAnswer(problem: Problem): Answer {
  return {
    status: problem.status,
    headers: { ...problem.headers, 'content-type': 'application/problem+json' },
    body: problem.document,
  };
}

/** The page of a load balancer in front of a CA that is down. */
export function unavailable(problem: Problem): Answer {
  return {
    status: 503,
    headers: { ...problem.headers, 'content-type': 'text/html' },
    body: '<html><body><h1>503 Service Unavailable</h1></body></html>\n',
  };
}

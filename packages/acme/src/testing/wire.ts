import { request } from 'node:http';
import type { HttpClient } from '../http.ts';

/** The client's way to the fake CA: node:http on loopback, a new connection each time, so that nothing stays open. */
export const loopbackHttp: HttpClient = ({ method, url, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, headers: { ...headers }, agent: false, ...(signal && { signal }) },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode!,
            headers: answer.headers as Record<string, string | string[]>,
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });

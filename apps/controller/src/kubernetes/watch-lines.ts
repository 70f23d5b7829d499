import type { IncomingMessage } from 'node:http';
import type { Clock } from '@zoneproof/core';
import { type ExchangeRequest, noAnswer } from './exchange.ts';

/** An object is 1.5 MB at most in etcd; JSON may take more. */
const maxLineBytes = 16 * 1024 * 1024;
const lineFeed = 0x0a;

/**
 * The JSON values of a watch, one a line.
 *
 * @throws KubeApiError when the connection breaks, is silent for `idleMs`, or says something that is no JSON
 */
export async function* readLines(
  response: IncomingMessage,
  request: ExchangeRequest,
  idleMs: number,
  clock: Clock,
): AsyncGenerator<unknown> {
  const { timers } = request;
  let heardAt = clock.now();
  const look = (): void => {
    const silentMs = clock.now() - heardAt;
    if (silentMs >= idleMs) response.destroy(new Error(`silent for ${idleMs} ms`));
    else timer = timers.setTimeout(look, idleMs - silentMs);
  };
  let timer = timers.setTimeout(look, idleMs);
  let parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      heardAt = clock.now();
      let start = 0;
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
        const line = Buffer.concat([...parts, chunk.subarray(start, end)]).toString('utf8');
        parts = [];
        bytes = 0;
        start = end + 1;
        if (line.trim() !== '') yield JSON.parse(line);
      }
      if (start < chunk.length) parts.push(chunk.subarray(start));
      bytes += chunk.length - start;
      if (bytes > maxLineBytes) throw new Error(`an event is longer than ${maxLineBytes} bytes`);
    }
  } catch (error) {
    throw noAnswer(request, error instanceof SyntaxError ? new Error('an event is no JSON') : (error as Error), true);
  } finally {
    timers.clearTimeout(timer);
  }
}

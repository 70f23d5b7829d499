import { connect } from 'node:net';
import { createApiRequests, type HttpAnswer, isProviderError, ProviderError, type ProviderHost } from '@zoneproof/core';
import type { BrokenProvider } from './broken-provider.ts';
import { memoryProvider, type Pieces } from './memory-provider.ts';

export const brokenErrors: readonly BrokenProvider[] = [
  {
    defect: 'lets errors of the egress through',
    rejectedBy: 'E1',
    because: /EgressError/,
    plugin: memoryProvider((_right, host) => ({ send: plainly(host, (request) => host.egress.http(request)) })),
  },
  {
    defect: 'leaks a secret in an error',
    rejectedBy: 'E2',
    because: /a secret shows in ProviderError/,
    plugin: memoryProvider((right) => ({
      refusal(answer, what, token) {
        const { kind, message } = right.refusal(answer, what, token);
        return new ProviderError({ kind, message: `${message} (token ${token})` });
      },
    })),
  },
  {
    defect: "leaks a secret in an error's cause, as SDKs do that keep the request",
    rejectedBy: 'E2',
    because: /a secret shows in/,
    plugin: memoryProvider((right) => ({
      refusal(answer, what, token) {
        const { kind, message } = right.refusal(answer, what, token);
        return new ProviderError({ kind, message, cause: { request: { headers: { authorization: token } } } });
      },
    })),
  },
  {
    defect: 'does not listen to its signal',
    rejectedBy: 'E3',
    because: /after its signal fired/,
    plugin: memoryProvider((right) => ({
      send: (request, what, call) =>
        call.signal.aborted
          ? right.send(request, what, call)
          : right.send(request, what, { ...call, signal: new AbortController().signal }),
    })),
  },
  {
    defect: 'claims success where there is no way out',
    rejectedBy: 'E4',
    because: /without a way out: changed/,
    plugin: memoryProvider((right) => ({
      apply: async (zone, changes, call) =>
        (await right.apply(zone, changes, call)).map((one) => (one.status === 'failed' ? { status: 'changed' } : one)),
    })),
  },
  {
    defect: 'opens its own socket',
    rejectedBy: 'E4',
    because: /a TCP connection/,
    plugin: memoryProvider((right) => ({
      async send(request, what, call) {
        const answer = await right.send(request, what, call);
        // Only once it works: with an egress that refuses all, nothing is to be seen.
        connect({ host: '127.0.0.1', port: 9 }).destroy();
        return answer;
      },
    })),
  },
  {
    defect: "sends by Node's own fetch beside the egress",
    rejectedBy: 'E4',
    because: /a TCP connection|a request of undici/,
    plugin: memoryProvider((right) => ({
      async send(request, what, call) {
        await fetch('http://127.0.0.1:12345/telemetry').catch(() => undefined);
        return right.send(request, what, call);
      },
    })),
  },
  {
    defect: 'takes no permit',
    rejectedBy: 'E5',
    because: /requests without a permit/,
    plugin: memoryProvider((right) => ({
      send: (request, what, call) => right.send(request, what, { ...call, permit: () => Promise.resolve() }),
    })),
  },
  {
    defect: 'takes one permit and sends twice',
    rejectedBy: 'E5',
    because: /requests without a permit/,
    plugin: memoryProvider((right, host) => ({
      async send(request, what, call) {
        if (request.method === 'GET') await host.egress.fetch(request.url, { method: 'HEAD' });
        return right.send(request, what, call);
      },
    })),
  },
  {
    defect: 'repeats a 503 by itself',
    rejectedBy: 'E6',
    because: /writes sent after a 503: PUT .*, PUT/,
    plugin: memoryProvider((right) => ({ send: again(right, ({ status }) => status === 503) })),
  },
  {
    defect: 'repeats a 429 by itself',
    rejectedBy: 'E6',
    because: /writes sent after a 429: PUT .*, PUT/,
    plugin: memoryProvider((right) => ({ send: again(right, ({ status }) => status === 429) })),
  },
  {
    defect: 'repeats what was lost by itself',
    rejectedBy: 'E6',
    because: /writes sent after a reset: PUT .*, PUT/,
    plugin: memoryProvider((right) => ({
      send: (request, what, call) =>
        right.send(request, what, call).catch((error: unknown) => {
          if (!isProviderError(error) || !error.details.sent) throw error;
          return right.send(request, what, call);
        }),
    })),
  },
  {
    defect: 'does not read Retry-After',
    rejectedBy: 'E6',
    because: /retryAfterMs after a 429/,
    plugin: memoryProvider((right) => ({
      send: async (request, what, call) => ({ ...(await right.send(request, what, call)), headers: {} }),
    })),
  },
  {
    defect: 'takes a key from the environment',
    rejectedBy: 'E7',
    because: /a variable of the environment went out with/,
    plugin: memoryProvider((right) => ({
      send(request, what, call) {
        const { CLOUDFLARE_API_TOKEN: key } = process.env;
        const basic = `Basic ${Buffer.from(`user:${key}`).toString('base64')}`;
        return right.send({ ...request, headers: { ...request.headers, ...(key && { 'x-auth': basic }) } }, what, call);
      },
    })),
  },
  {
    defect: 'takes its endpoint from the environment',
    rejectedBy: 'E7',
    because: /a variable of the environment went out with/,
    plugin: memoryProvider((right) => ({
      send: (request, what, call) =>
        right.send(
          { ...request, url: request.url.replace('https://memory.test', process.env.AWS_ENDPOINT_URL ?? '$&') },
          what,
          call,
        ),
    })),
  },
  {
    defect: 'takes its proxy from the environment',
    rejectedBy: 'E7',
    because: /nothing works among hostile variables: .*proxy/,
    plugin: memoryProvider((right) => ({
      send(request, what, call) {
        if (process.env.HTTPS_PROXY === undefined) return right.send(request, what, call);
        throw new ProviderError({ kind: 'unavailable', message: 'memory "lab": no answer from the proxy' });
      },
    })),
  },
  {
    defect: 'takes a wrong clock for a wrong request',
    rejectedBy: 'E8 clock-off',
    because: /has to end in auth: .*clock/,
    plugin: memoryProvider((right) => ({
      refusal(answer, what, token) {
        const error = right.refusal(answer, what, token);
        return error.message.includes('clock') ? new ProviderError({ ...error.details, kind: 'invalid' }) : error;
      },
    })),
  },
  {
    defect: 'does not say which right is missing',
    rejectedBy: 'E8 missing-permission',
    because: /txt:write/,
    plugin: memoryProvider((right) => ({
      refusal: (answer, what, token) =>
        new ProviderError({ ...right.refusal(answer, what, token).details, message: 'memory "lab": not allowed' }),
    })),
  },
  {
    defect: 'breaks on an answer that lacks a field',
    rejectedBy: 'E8 answer-lacks-fields',
    because: /has to end in done: memory "lab": no change in the answer/,
    plugin: memoryProvider((right) => ({
      async send(request, what, call) {
        const answer = await right.send(request, what, call);
        if (request.method === 'GET' || answer.status > 299 || String(Buffer.from(answer.body)).includes('"change"'))
          return answer;
        throw new ProviderError({ kind: 'unavailable', message: 'memory "lab": no change in the answer' });
      },
    })),
  },
  {
    defect: 'stops for good after the first refusal',
    rejectedBy: 'E8 server-error',
    because: /after the day, nothing works any more: .*503/,
    plugin: memoryProvider((right) => {
      let down: ProviderError | undefined;
      return {
        refusal(answer, what, token) {
          down = right.refusal(answer, what, token);
          return down;
        },
        send(request, what, call) {
          if (down) throw down;
          return right.send(request, what, call);
        },
      };
    }),
  },
];

/** Sends a second time when the answer asks for it. */
function again(right: Pieces, isAsked: (answer: HttpAnswer) => boolean): Pieces['send'] {
  return async (request, what, call) => {
    const answer = await right.send(request, what, call);
    return isAsked(answer) ? right.send(request, what, call) : answer;
  };
}

function plainly(host: ProviderHost, http: ProviderHost['egress']['http']): Pieces['send'] {
  const requests = createApiRequests(host);
  return async (request, what, call) => {
    if (call.signal.aborted) return requests.send(request, what, call);
    await call.permit();
    return http({ ...request, signal: call.signal });
  };
}

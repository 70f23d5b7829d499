import type { Egress, HttpRequest } from './egress.ts';

// SDKs read whole lists of zones.
const maxSdkBytes = 32 * 1024 * 1024;

/**
 * The global fetch's form over an `http` of the egress, for SDKs that take one. What it throws is what `http` throws, so
 * that `sent` of an EgressError reaches the caller as the cause of the SDK's own error. Redirects are answers: following
 * one would carry a vendor's key to another host.
 */
export function createFetch(http: Egress['http']): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const answer = await http({
      method: request.method as HttpRequest['method'],
      url: request.url,
      headers: Object.fromEntries(request.headers),
      ...(body !== undefined && { body }),
      signal: request.signal,
      maxBytes: maxSdkBytes,
    });
    const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one as string]),
    );
    const empty = answer.status === 204 || answer.status === 205 || answer.status === 304;
    return new Response(empty ? null : (answer.body as Uint8Array<ArrayBuffer>), { status: answer.status, headers });
  };
}

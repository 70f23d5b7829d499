import type { Clock, Egress } from '@zoneproof/core';

/** An egress that notes how far this machine's clock is ahead of each server it gets answers from. */
export interface WatchedClocks {
  readonly egress: Egress;
  /** Milliseconds by which we are ahead of the server of this URL; undefined when it has not told its time. */
  aheadOf(url: string): number | undefined;
}

export function watchClocks(egress: Egress, clock: Clock): WatchedClocks {
  const ahead = new Map<string, number>();
  const watched = (inner: Egress): Egress => {
    const http: Egress['http'] = async (request) => {
      const sentAt = clock.now();
      const answer = await inner.http(request);
      const date = [answer.headers.date ?? []].flat()[0];
      const at = date === undefined ? Number.NaN : Date.parse(date);
      // The header has whole seconds, so its time was on average half a second later.
      if (Number.isFinite(at)) ahead.set(new URL(request.url).origin, (sentAt + clock.now()) / 2 - (at + 500));
      return answer;
    };
    return Object.create(inner, {
      http: { value: http },
      withCaBundle: { value: (pem: string) => watched(inner.withCaBundle(pem)) },
    }) as Egress;
  };
  return { egress: watched(egress), aheadOf: (url) => ahead.get(new URL(url).origin) };
}

import type { Timers } from '@zoneproof/core';
import type { LeaseApi } from '../lease-requests.ts';

/** One Lease with the optimistic concurrency of an API server, for as many candidates as wanted. */
export class LeaseServer {
  lease: { metadata: Record<string, unknown>; spec: Record<string, unknown> } | undefined;
  /** Milliseconds from the request to its effect, and again until its answer. */
  latencyMs = 0;
  /** What the next requests meet: `fail` has no effect, `lose` has its effect and no answer. */
  readonly faults: ('fail' | 'lose')[] = [];
  /** `GET`, `PUT zoneproof-1` and so on, as they took effect. */
  readonly log: string[] = [];
  readonly #timers: Timers;
  #version = 0;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get holder(): unknown {
    return this.lease?.spec.holderIdentity;
  }

  readonly api: LeaseApi = {
    request: async ({ method, body, signal, beforeSend }) => {
      const fault = this.faults.shift();
      await this.#pass();
      if (signal?.aborted) throw new Error('stopped by the caller');
      beforeSend?.();
      if (fault === 'fail') throw Object.assign(new Error('the API server is overloaded'), { status: 503 });
      const answer = this.#answer(method, body as LeaseServer['lease']);
      await this.#pass();
      if (fault === 'lose') throw new Error('the connection was lost');
      return answer;
    },
  };

  /** Somebody else writes. */
  write(spec: Record<string, unknown>): void {
    this.lease = { metadata: { ...this.lease?.metadata, resourceVersion: `${++this.#version}` }, spec };
  }

  #answer(method: string, body: LeaseServer['lease']): unknown {
    this.log.push(body === undefined ? method : `${method} ${body.spec.holderIdentity}`);
    if (method !== 'POST' && this.lease === undefined) throw refusal(404, 'not found');
    if (method === 'GET') return structuredClone(this.lease);
    if (method === 'POST' && this.lease !== undefined) throw refusal(409, 'already exists');
    if (method === 'PUT' && body?.metadata.resourceVersion !== this.lease?.metadata.resourceVersion)
      throw refusal(409, 'the object has been modified');
    this.lease = structuredClone(body) as NonNullable<typeof body>;
    this.lease.metadata.resourceVersion = `${++this.#version}`;
    return structuredClone(this.lease);
  }

  #pass(): Promise<void> {
    return new Promise((resolve) => {
      if (this.latencyMs === 0) resolve();
      else this.#timers.setTimeout(resolve, this.latencyMs);
    });
  }
}

function refusal(status: number, message: string): Error {
  return Object.assign(new Error(message), { status });
}

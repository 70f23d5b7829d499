import type { EndedCall, WriterEvent } from '@zoneproof/core';
import type { Kind } from '../resources/types.ts';

/** Told of what the controller does, as it does it. These are quick, throw nothing, and need no `this`. */
export interface Observer {
  readonly providerCall: (call: EndedCall) => void;
  readonly recordWriter: (event: WriterEvent) => void;
  readonly dnsQuestion: (outcome: 'answered' | 'unanswered') => void;
  /** One HTTP request to the ACME server at `host`; without a status there was no answer. */
  readonly caRequest: (request: {
    readonly host: string;
    readonly status?: number;
    readonly durationMs: number;
  }) => void;
  /** One piece of work on one object. */
  readonly reconciled: (kind: Kind, durationMs: number) => void;
}

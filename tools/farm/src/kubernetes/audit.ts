import { open } from 'node:fs/promises';

/** A request for a resource as the API server's audit log tells it. */
export interface AuditEntry {
  readonly verb: string;
  /** API group, '' for the core. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace: string;
  /** '' for lists, and for objects that are created. */
  readonly name: string;
  readonly user: string;
  readonly userAgent: string;
  /** When the request came in, epoch milliseconds. */
  readonly at: number;
  /** HTTP status; 0 for a request that was never answered. */
  readonly status: number;
}

/** Each request is written down twice: before the answer, so that none is missed, and after it. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: [
    { level: 'None', users: ['system:apiserver'] },
    { level: 'None', nonResourceURLs: ['*'] },
    { level: 'Metadata' },
  ],
};

const answerWithinMs = 2000;

/** Reads an audit log that grows. */
export class AuditLog {
  readonly #file: string;
  readonly #entries = new Map<string, AuditEntry>();
  readonly #lost = new Set<string>();
  #offset = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * All requests so far, in the order in which they came in. Waits up to 2 s for the answers of those under way;
   * watches count from their beginning.
   */
  async entries(): Promise<readonly AuditEntry[]> {
    await this.#read();
    const underWay = this.#unanswered();
    const deadline = Date.now() + answerWithinMs;
    while (underWay.some((id) => this.#entries.get(id)?.status === 0) && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      await this.#read();
    }
    return [...this.#entries.values()];
  }

  /** The API server is gone: nothing that is under way is answered any more. */
  async serverStopped(): Promise<void> {
    await this.#read();
    for (const id of this.#unanswered()) this.#lost.add(id);
  }

  #unanswered(): readonly string[] {
    return [...this.#entries].flatMap(([id, { status }]) => (status === 0 && !this.#lost.has(id) ? [id] : []));
  }

  async #read(): Promise<void> {
    const file = await open(this.#file);
    try {
      const { size } = await file.stat();
      const bytes = Buffer.alloc(size - this.#offset);
      await file.read(bytes, 0, bytes.length, this.#offset);
      const end = bytes.lastIndexOf('\n') + 1;
      this.#offset += end;
      for (const line of bytes.toString('utf8', 0, end).split('\n')) if (line !== '') this.#add(JSON.parse(line));
    } finally {
      await file.close();
    }
  }

  #add(event: AuditEvent): void {
    const { objectRef = {} } = event;
    const known = this.#entries.get(event.auditID);
    this.#entries.set(event.auditID, {
      verb: event.verb,
      group: objectRef.apiGroup ?? '',
      resource: objectRef.resource ?? '',
      ...(objectRef.subresource !== undefined && { subresource: objectRef.subresource }),
      namespace: objectRef.namespace ?? '',
      name: objectRef.name ?? '',
      user: event.user?.username ?? '',
      userAgent: event.userAgent ?? '',
      at: Date.parse(event.requestReceivedTimestamp),
      status: event.responseStatus?.code ?? known?.status ?? 0,
    });
  }
}

/** The fields read of https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Event */
interface AuditEvent {
  readonly auditID: string;
  readonly verb: string;
  readonly user?: { readonly username?: string };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
}

import type { Report } from '../../reconcile/services.ts';
import { apiVersion, type Kind, type ObjectOfKind } from '../../resources/types.ts';

/** What an Event names: an object of ours. */
export interface EventObject {
  readonly apiVersion: string;
  readonly kind: Kind;
  /** Absent for a ClusterIssuer. */
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
}

/** What an Event says, before it has a name and a time. */
export interface Told {
  readonly type: 'Normal' | 'Warning';
  /** A word of docs/conditions.md. */
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly regarding: EventObject;
  readonly related?: EventObject;
}

/** Finds the object of a report: its uid, and what owns it. */
export type FindObject = <K extends Exclude<Kind, 'Secret'>>(
  kind: K,
  namespace: string,
  name: string,
) => ObjectOfKind[K] | undefined;

/** What is worth an Event although all is well: two for a certificate, one for an account. */
const goodNews: ReadonlySet<string> = new Set(['Issuing', 'Issued', 'AccountRegistered']);

/**
 * The Event of a line of the log; undefined when it is none. What happens to an Order is told of the Certificate that
 * owns it, which outlives it and is what people describe.
 */
export function toldOf(report: Omit<Report, 'at'>, find: FindObject): Told | undefined {
  const { level, kind, namespace, name, reason, message } = report;
  if (kind === 'Secret' || (level === 'info' && (kind === 'Order' || !goodNews.has(reason)))) return undefined;
  const metadata = find(kind, namespace, name)?.metadata;
  if (metadata === undefined) return undefined;
  const object = reference(kind, namespace, name, metadata.uid);
  const { owner } = metadata;
  const isOwned = kind === 'Order' && owner !== undefined;
  return {
    type: level === 'info' ? 'Normal' : 'Warning',
    reason,
    action: kind === 'Issuer' || kind === 'ClusterIssuer' ? 'Prepare' : 'Issue',
    note: oneLine(message),
    regarding: isOwned ? reference(owner.kind, namespace, owner.name, owner.uid) : object,
    ...(isOwned && { related: object }),
  };
}

function reference(kind: Kind, namespace: string, name: string, uid: string): EventObject {
  return { apiVersion, kind, ...(namespace !== '' && { namespace }), name, uid };
}

/** The API server takes 1024 octets. Messages can hold what a DNS server or a CA said. */
function oneLine(message: string): string {
  const text = message.replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ');
  if (Buffer.byteLength(text) <= maxNoteBytes) return text;
  const cut = Buffer.from(text)
    .subarray(0, maxNoteBytes - 3)
    .toString()
    .replace(/\uFFFD+$/, '');
  return `${cut}...`;
}

const maxNoteBytes = 1024;

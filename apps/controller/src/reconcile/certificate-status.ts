import type { Certificate, CertificateStatus, Condition } from '../resources/types.ts';
import { news, type StatusUpdate } from '../store/index.ts';
import type { Shown } from './certificate-decide.ts';
import { setCondition } from './conditions.ts';
import type { Reason } from './reasons.ts';
import type { Report, Services } from './services.ts';

/** What the conditions of a Certificate say. */
export interface Picture {
  readonly ready: boolean;
  readonly issuing: boolean;
  readonly problem: Shown;
}

/** Stores the conditions, unless they are there. */
export async function showCertificate(certificate: Certificate, shown: Picture, services: Services): Promise<void> {
  const conditions = conditionsOf(certificate, shown, services.clock.now());
  if (conditions === certificate.status.conditions) return;
  // What an Order waits for is told by the Order again, and often over before it is written down.
  await updateCertificate(certificate, services, (status) => ({ ...status, conditions }), shown.issuing ? news : {});
}

/** The conditions Ready and Issuing; the same array where nothing is different. */
export function conditionsOf(
  { metadata, status }: Certificate,
  { ready, issuing, problem }: Picture,
  now: number,
): readonly Condition[] {
  const { reason, message } = problem;
  const states = [
    { type: 'Ready', status: ready ? 'True' : 'False', reason, message },
    { type: 'Issuing', status: issuing ? 'True' : 'False', reason, message },
  ] as const;
  return states.reduce(
    (conditions: readonly Condition[] | undefined, state) => setCondition(conditions, state, metadata.generation, now),
    status.conditions,
  ) as readonly Condition[];
}

export async function updateCertificate(
  { metadata: { namespace, name } }: Certificate,
  { run, store }: Services,
  change: (status: CertificateStatus) => CertificateStatus,
  options: StatusUpdate = {},
): Promise<void> {
  await run('certificate.store-status', () =>
    store.updateStatus('Certificate', namespace, name, (current) => change(current.status), options),
  );
}

export function reportCertificate(
  { metadata: { namespace, name } }: Certificate,
  services: Services,
  reason: Reason,
  message: string,
  more: Pick<Report, 'level' | 'retryAt'> = { level: 'info' },
): void {
  services.report({ ...more, kind: 'Certificate', namespace, name, reason, message });
}

import { resolve } from 'node:path';
import type { Evidence } from '@zoneproof/core';
import type { Certificate, ChallengeStatus, Condition, Issuer, Order } from '../../resources/index.ts';
import { requestControl } from '../../store/control-socket.ts';
import { readState } from '../../store/file-store.ts';
import { certificateFiles } from './certificate-files.ts';
import type { CertificateReport, EvidenceReport, IssuerReport, OrderReport, StatusReport } from './status-schema.ts';

/** Reads a state directory, with and without a process that holds it. @throws StateDirError when it is damaged */
export async function readStatus(stateDir: string, now: number): Promise<StatusReport> {
  const [{ issuers, certificates, orders }, holder] = await Promise.all([
    readState(stateDir),
    requestControl(stateDir, { do: 'who' }),
  ]);
  const running = holder !== 'not-running';
  return {
    apiVersion: 'zoneproof.dev/v1alpha1',
    kind: 'Status',
    time: isoTime(now),
    stateDirectory: resolve(stateDir),
    process: { running, ...(running && holder.ok && holder.pid !== undefined && { pid: holder.pid }) },
    ...describeObjects({ issuers, certificates, orders }, resolve(stateDir)),
  };
}

/** Objects of either home, by name. `stateDir`: where their files are. */
export function describeObjects(
  { issuers, certificates, orders }: Awaited<ReturnType<typeof readState>>,
  stateDir?: string,
): Pick<StatusReport, 'issuers' | 'certificates' | 'orders'> {
  return {
    issuers: issuers.map(describeIssuer).sort(byName),
    certificates: certificates.map((certificate) => describeCertificate(certificate, stateDir)).sort(byName),
    orders: orders.map(describeOrder).sort(byName),
  };
}

export function describeCertificate({ metadata, spec, status }: Certificate, stateDir?: string): CertificateReport {
  const { namespace, name } = metadata;
  const { order, serial, issuer, lastFailure } = status;
  return {
    namespace,
    name,
    ...readiness(status.conditions),
    dnsNames: [...spec.dnsNames],
    issuerRef: { kind: spec.issuerRef.kind ?? 'Issuer', name: spec.issuerRef.name },
    secretName: spec.secretName,
    ...times({ notBefore: status.notBefore, notAfter: status.notAfter, renewAt: status.renewAt }),
    ...(serial !== undefined && { serial }),
    ...(issuer !== undefined && { issuer }),
    ...(status.notAfter !== undefined &&
      stateDir !== undefined && { files: certificateFiles(stateDir, namespace, name) }),
    ...(order !== undefined && { order }),
    ...(lastFailure !== undefined && {
      lastFailure: {
        at: isoTime(lastFailure.at),
        count: lastFailure.count,
        reason: lastFailure.reason,
        message: lastFailure.message,
        retryAt: isoTime(lastFailure.retryAt),
      },
    }),
  };
}

export function describeOrder({ metadata, spec, status }: Order): OrderReport {
  const { acme, result, waiting, failure } = status;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    ...(metadata.owner !== undefined && { certificate: metadata.owner.name }),
    createdAt: isoTime(metadata.createdAt),
    dnsNames: [...spec.dnsNames],
    ...(result !== undefined && { result }),
    ...(acme !== undefined && { status: acme.status, orderURL: acme.orderURL }),
    ...(waiting !== undefined && {
      waiting: { reason: waiting.reason, message: waiting.message, ...times({ until: waiting.until }) },
    }),
    ...(failure !== undefined && {
      failure: { reason: failure.reason, message: failure.message, ...times({ retryAt: failure.retryAt }) },
    }),
    challenges: (status.challenges ?? []).map(describeChallenge),
    openValues: (status.ledger ?? []).map(({ zone, name, provider, since }) => ({
      zone: zone.name,
      name,
      provider: provider.name,
      since: isoTime(since),
    })),
  };
}

export function describeEvidence({ verdict, at, zone, target, by, servers, summary }: Evidence): EvidenceReport {
  return {
    verdict,
    at: isoTime(at),
    zone,
    target,
    ...(by !== undefined && { by }),
    servers: servers.map(({ values, ...server }) => ({
      ...server,
      ...(values !== undefined && { values: [...values] }),
    })),
    summary,
  };
}

function describeIssuer({ kind, metadata, spec, status }: Issuer): IssuerReport {
  const { accountURL, termsOfService } = status.acme ?? {};
  return {
    kind,
    namespace: metadata.namespace,
    name: metadata.name,
    ...readiness(status.conditions),
    server: spec.acme.server,
    ...(accountURL !== undefined && { accountURL }),
    ...(termsOfService !== undefined && { termsOfService }),
    providers: (status.providers ?? []).map(({ name, block, ready, reason, message }) => ({
      name,
      block,
      ready,
      reason,
      message,
    })),
  };
}

function describeChallenge(challenge: ChallengeStatus): OrderReport['challenges'][number] {
  const { domain, wildcard, step, authorization, provider, zone, target, error, evidence } = challenge;
  return {
    domain,
    wildcard,
    step,
    authorization,
    ...(provider !== undefined && { provider }),
    ...(zone !== undefined && { zone }),
    ...(target !== undefined && { target }),
    ...times({ presentedAt: challenge.presentedAt }),
    ...(error !== undefined && { error }),
    ...(evidence !== undefined && { evidence: describeEvidence(evidence) }),
  };
}

function readiness(conditions: readonly Condition[] | undefined): { ready: boolean; reason: string; message: string } {
  const ready = conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined)
    return { ready: false, reason: 'NotCheckedYet', message: 'zoneproof has not looked at this object yet.' };
  return { ready: ready.status === 'True', reason: ready.reason, message: ready.message };
}

/** Known instants as ISO 8601. */
function times<K extends string>(instants: Readonly<Record<K, number | undefined>>): { [key in K]?: string } {
  const known = Object.entries<number | undefined>(instants).flatMap(([key, at]) =>
    at === undefined ? [] : [[key, isoTime(at)]],
  );
  return Object.fromEntries(known) as { [key in K]?: string };
}

function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

function byName(a: { namespace: string; name: string }, b: { namespace: string; name: string }): number {
  return a.namespace.localeCompare(b.namespace) || a.name.localeCompare(b.name, 'en', { numeric: true });
}

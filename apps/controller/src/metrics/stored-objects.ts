import type { Certificate, Condition, Issuer, Order } from '../resources/types.ts';
import type { Store } from '../store/index.ts';
import type { Instruments } from './instruments.ts';
import { labelText, ObjectSeries } from './object-series.ts';

/** What the stored objects say, computed at each scrape: nothing is counted twice or forgotten by a restart. */
export interface StoredObjects {
  /** Sets the gauges. @returns the series that each object has of its own, as text */
  read(store: Store, now: number): string;
  /** Without a store there is nothing to say. */
  clear(): void;
}

const challengeSteps = ['new', 'presented', 'visible', 'responded', 'validated', 'failed'] as const;
const perObject = [
  'zoneproof_certificate_expiration_timestamp_seconds',
  'zoneproof_certificate_renewal_timestamp_seconds',
  'zoneproof_certificate_ready',
  'zoneproof_issuer_ready',
  'zoneproof_issuer_provider_ready',
] as const;

export function createStoredObjects(instruments: Instruments): StoredObjects {
  const objects = instruments.gauge('zoneproof_objects');
  const certificates = instruments.gauge('zoneproof_certificates');
  const orders = instruments.gauge('zoneproof_orders');
  const waiting = instruments.gauge('zoneproof_orders_waiting');
  const challenges = instruments.gauge('zoneproof_challenges');
  const ledgerEntries = instruments.gauge('zoneproof_ledger_entries');
  const ledgerAge = instruments.gauge('zoneproof_ledger_oldest_entry_age_seconds');
  const blocked = instruments.gauge('zoneproof_cleanup_blocked_orders');
  const all = [objects, certificates, orders, waiting, challenges, ledgerEntries, ledgerAge, blocked];

  function clear(): void {
    for (const gauge of all) gauge.reset();
  }

  function readOrders(stored: readonly Order[], now: number): void {
    const states = new Tally(['running', 'valid', 'failed', 'deleting']);
    const steps = new Tally(challengeSteps);
    const reasons = new Tally();
    let entries = 0;
    let oldest = now;
    let blockedOrders = 0;
    for (const { status, metadata } of stored) {
      const state = metadata.deletedAt === undefined ? (status.result ?? 'running') : 'deleting';
      states.add(state);
      if (state === 'running') {
        if (status.waiting !== undefined) reasons.add(status.waiting.reason);
        for (const { step } of status.challenges ?? []) steps.add(step);
      }
      const ledger = status.ledger ?? [];
      entries += ledger.length;
      for (const { since } of ledger) oldest = Math.min(oldest, since);
      if (state !== 'running' && ledger.length > 0 && status.cleanUp !== undefined) blockedOrders++;
    }
    for (const [state, count] of states.counts) orders.set({ state }, count);
    for (const [step, count] of steps.counts) challenges.set({ step }, count);
    for (const [reason, count] of reasons.counts) waiting.set({ reason }, count);
    ledgerEntries.set(entries);
    ledgerAge.set((now - oldest) / 1_000);
    blocked.set(blockedOrders);
  }

  function readCertificates(stored: readonly Certificate[], series: ObjectSeries): void {
    const reasons = { true: new Tally(), false: new Tally() };
    for (const { metadata, spec, status } of stored) {
      const { kind = 'Issuer', name } = spec.issuerRef;
      const labels = labelText({
        namespace: metadata.namespace,
        name: metadata.name,
        issuer_kind: kind,
        issuer_name: name,
      });
      const { status: is, reason = 'NotCheckedYet' } = readyOf(status) ?? {};
      if (status.notAfter !== undefined)
        series.add('zoneproof_certificate_expiration_timestamp_seconds', labels, status.notAfter / 1_000);
      if (status.renewAt !== undefined)
        series.add('zoneproof_certificate_renewal_timestamp_seconds', labels, status.renewAt / 1_000);
      series.add('zoneproof_certificate_ready', labels, is === 'True' ? 1 : 0);
      reasons[is === 'True' ? 'true' : 'false'].add(reason);
    }
    for (const [ready, { counts }] of Object.entries(reasons))
      for (const [reason, count] of counts) certificates.set({ ready, reason }, count);
  }

  function readIssuers(stored: readonly Issuer[], series: ObjectSeries): void {
    for (const { kind, metadata, spec, status } of stored) {
      const labels = { namespace: metadata.namespace, issuer_kind: kind, issuer_name: metadata.name };
      series.add('zoneproof_issuer_ready', labelText(labels), readyOf(status)?.status === 'True' ? 1 : 0);
      for (const { name, ready } of status.providers ?? []) {
        const provider = blockKey(spec.acme.dns01.providers, name);
        if (provider === undefined) continue;
        const ofProvider = labelText({ ...labels, provider, provider_name: name });
        series.add('zoneproof_issuer_provider_ready', ofProvider, ready ? 1 : 0);
      }
    }
  }

  return {
    clear,
    read(store, now) {
      clear();
      const series = new ObjectSeries(perObject);
      const issuers = store.list('Issuer');
      const clusterIssuers = store.list('ClusterIssuer');
      const stored = { Certificate: store.list('Certificate'), Order: store.list('Order') };
      for (const [kind, { length }] of Object.entries({ Issuer: issuers, ClusterIssuer: clusterIssuers, ...stored }))
        objects.set({ kind }, length);
      readCertificates(stored.Certificate, series);
      readIssuers([...issuers, ...clusterIssuers], series);
      readOrders(stored.Order, now);
      return series.text();
    },
  };
}

/** Counted here first: ten thousand steps of a gauge of prom-client take 20 ms. */
class Tally {
  readonly counts = new Map<string, number>();

  constructor(words: readonly string[] = []) {
    for (const word of words) this.counts.set(word, 0);
  }

  add(word: string): void {
    this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
  }
}

/** The block's key of one element of an Issuer's providers. */
export function blockKey(providers: Issuer['spec']['acme']['dns01']['providers'], name: string): string | undefined {
  const spec = providers.find((one) => one.name === name);
  return spec && Object.keys(spec).find((key) => key !== 'name' && key !== 'selector');
}

function readyOf({ conditions }: { readonly conditions?: readonly Condition[] }): Condition | undefined {
  return conditions?.find(({ type }) => type === 'Ready');
}

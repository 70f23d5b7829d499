import type { MetricGroups } from './definition.ts';
import { one, provider, reason, waitSeconds } from './words.ts';

const certificate = {
  namespace: 'of the Certificate',
  name: 'of the Certificate',
  issuer_kind: '`Issuer` or `ClusterIssuer`',
  issuer_name: 'the Issuer that it names',
} as const;
const issuer = {
  namespace: "of the Issuer; '' for a ClusterIssuer",
  issuer_kind: '`Issuer` or `ClusterIssuer`',
  issuer_name: 'its name',
} as const;
const perCertificate = 'one a Certificate';

/** What is stored. */
export const storedObjects = {
  'Certificates and Issuers': {
    zoneproof_certificate_expiration_timestamp_seconds: {
      type: 'gauge',
      help: 'When the stored certificate expires; absent while there is none.',
      labels: certificate,
      series: perCertificate,
    },
    zoneproof_certificate_renewal_timestamp_seconds: {
      type: 'gauge',
      help: 'When the stored certificate is due for renewal; absent while there is none.',
      labels: certificate,
      series: perCertificate,
    },
    zoneproof_certificate_ready: {
      type: 'gauge',
      help: '1 when condition Ready of the Certificate is True, else 0.',
      labels: certificate,
      series: perCertificate,
    },
    zoneproof_certificates: {
      type: 'gauge',
      help: 'Certificates by condition Ready and its reason.',
      labels: { ready: '`true` or `false`', reason },
      series: 'two a reason',
    },
    zoneproof_issuer_ready: {
      type: 'gauge',
      help: '1 when condition Ready of the Issuer is True, else 0.',
      labels: issuer,
      series: 'one an Issuer',
    },
    zoneproof_issuer_provider_ready: {
      type: 'gauge',
      help: '1 when the last check of this provider of the Issuer found nothing wrong, else 0.',
      labels: { ...issuer, provider, provider_name: "the provider's name in the Issuer" },
      series: 'one a provider of an Issuer',
    },
  },
  'Orders and challenges': {
    zoneproof_orders: {
      type: 'gauge',
      help: 'Orders that are stored, by state.',
      labels: { state: '`running`, `valid`, `failed`, or `deleting`: held until its values are out of the zones' },
      series: '4',
    },
    zoneproof_orders_waiting: {
      type: 'gauge',
      help: 'Running Orders that wait for something, by the reason.',
      labels: { reason },
      series: 'one a reason',
    },
    zoneproof_orders_completed_total: {
      type: 'counter',
      help: 'Orders that ended since the start of the process.',
      labels: { result: '`valid` or `failed`', reason },
      series: 'one a reason',
    },
    zoneproof_order_duration_seconds: {
      type: 'histogram',
      help: 'From the creation of an Order to its end.',
      labels: { result: '`valid` or `failed`' },
      buckets: waitSeconds,
      series: '30',
    },
    zoneproof_challenges: {
      type: 'gauge',
      help: 'Challenges of running Orders by the step that they have reached.',
      labels: { step: '`new`, `presented`, `visible`, `responded`, `validated` or `failed`' },
      series: '6',
    },
  },
  'Ledger and clean-up': {
    zoneproof_ledger_entries: {
      type: 'gauge',
      help: 'TXT values of ours that are, or may be, in a zone.',
      labels: {},
      series: one,
    },
    zoneproof_ledger_oldest_entry_age_seconds: {
      type: 'gauge',
      help: 'How long the oldest of them is there; 0 when there is none.',
      labels: {},
      series: one,
    },
    zoneproof_cleanup_blocked_orders: {
      type: 'gauge',
      help: 'Orders that are over and have values that cannot be removed now.',
      labels: {},
      series: one,
    },
    zoneproof_cleanup_abandoned_total: {
      type: 'counter',
      help: 'Times that values were left behind for want of any way to remove them; the log names them.',
      labels: {},
      series: one,
    },
  },
} as const satisfies MetricGroups;

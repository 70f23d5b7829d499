import type { ProviderPlugin } from '@zoneproof/core';
import type { EmulatorServer } from '@zoneproof/provider-testkit';
import { startAkamaiEdgeDns } from '@zoneproof/provider-testkit/akamai-edge-dns';
import { startCloudflare } from '@zoneproof/provider-testkit/cloudflare';
import { startGoogleCloudDns } from '@zoneproof/provider-testkit/google-cloud-dns';
import { startRoute53 } from '@zoneproof/provider-testkit/route53';

/** What a request is for. */
export type Purpose = 'listing' | 'read' | 'write' | 'sync' | 'token';

/** A vendor's API as far as requests to it are counted. */
export interface CountedService {
  /** The block's key: `clouddns`. */
  readonly key: ProviderPlugin['key'];
  start(zones: readonly string[]): Promise<RunningService>;
  purposeOf(action: string): Purpose;
}

export interface RunningService extends Pick<EmulatorServer, 'seen' | 'close'> {
  readonly config: object;
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** A change is in sync at the second look at it. */
export const looksAtChange = 2;

export const services: readonly CountedService[] = [
  {
    key: 'clouddns',
    async start(zones) {
      const google = await startGoogleCloudDns({ zones, pendingPolls: looksAtChange - 1 });
      return running(google, {
        config: { project: google.project, serviceAccountSecretRef: secret('key') },
        entries: { key: JSON.stringify(google.serviceAccount) },
      });
    },
    purposeOf: byTable({
      'dns.managedZones.list': 'listing',
      'dns.resourceRecordSets.list': 'read',
      'dns.changes.create': 'write',
      'dns.changes.get': 'sync',
      'oauth2.token': 'token',
    }),
  },
  {
    key: 'routedns',
    async start(zones) {
      const aws = await startRoute53({ zones, sync: { afterPolls: looksAtChange - 1 } });
      return running(aws, {
        config: { region: 'eu-central-1', accessKeyID: aws.accessKeyId, secretAccessKeySecretRef: secret('key') },
        entries: { key: aws.secretAccessKey },
      });
    },
    purposeOf: byTable({
      ListHostedZonesByName: 'listing',
      ListResourceRecordSets: 'read',
      ChangeResourceRecordSets: 'write',
      GetChange: 'sync',
    }),
  },
  {
    key: 'edgedns',
    async start(zones) {
      // Hosts whose clock runs faster than the world's come sooner to the limit of five minutes.
      const cloudflare = await startCloudflare({ zones, requestsPer5Minutes: 1_000_000 });
      return running(cloudflare, {
        config: { endpoint: cloudflare.endpoint, apiTokenSecretRef: secret('token') },
        entries: { token: cloudflare.apiToken },
      });
    },
    purposeOf: byTable({ ListZones: 'listing', ListDnsRecords: 'read', BatchDnsRecords: 'write' }),
  },
  {
    key: 'fastdns',
    async start(zones) {
      const akamai = await startAkamaiEdgeDns({ pendingLooks: looksAtChange - 1 });
      for (const zone of zones) akamai.addZone(zone);
      const { clientToken, clientSecret, accessToken } = akamai.client;
      return running(akamai, {
        config: {
          serviceConsumerDomain: 'akab-emulator.luna.akamaiapis.net',
          clientTokenSecretRef: secret('clientToken'),
          clientSecretSecretRef: secret('clientSecret'),
          accessTokenSecretRef: secret('accessToken'),
        },
        entries: { clientToken, clientSecret, accessToken },
      });
    },
    purposeOf(action) {
      if (action === 'get-zones') return 'listing';
      if (action === 'get-zone') return 'sync';
      return action.startsWith('get-') ? 'read' : 'write';
    },
  },
];

function running(
  service: EmulatorServer,
  { config, entries }: { readonly config: object; readonly entries: Readonly<Record<string, string>> },
): RunningService {
  const { origin, caBundle, seen } = service;
  return {
    seen,
    config: { endpoint: origin, caBundle, ...config },
    secrets: { credentials: entries },
    close: () => service.close(),
  };
}

function secret(key: string): { readonly name: string; readonly key: string } {
  return { name: 'credentials', key };
}

function byTable(table: Readonly<Record<string, Purpose>>): CountedService['purposeOf'] {
  return (action) => {
    const purpose = table[action];
    if (purpose === undefined) throw new Error(`nobody has said what ${action} is for`);
    return purpose;
  };
}

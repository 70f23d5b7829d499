/** What another client sends for one challenge whose name nobody else has, when nothing fails. */
export interface PeerFigures {
  /** The block's key here. */
  readonly key: string;
  readonly client: 'lego' | 'cert-manager';
  readonly version: string;
  /** Where it is read from. */
  readonly source: string;
  /** Questions for the zone; those that are remembered come once a zone. */
  readonly listing: number | 'once a zone';
  readonly reads: number;
  readonly creates: number;
  readonly removes: number;
  /** Changes that it waits for, each by looks of its own. */
  readonly followed: number;
  readonly tokens: number | 'once';
}

const lego = { client: 'lego', version: '5.3.1' } as const;
const certManager = { client: 'cert-manager', version: '1.21.2' } as const;
const legoAt = 'github.com/go-acme/lego/v5@v5.3.1/providers/dns';
const certManagerAt = 'github.com/cert-manager/cert-manager@v1.21.2/pkg/issuer/acme/dns';

export const peers: readonly PeerFigures[] = [
  {
    ...lego,
    key: 'clouddns',
    source: `${legoAt}/gcloud/googlecloud.go Present, CleanUp, applyChanges, lookupHostedZoneID`,
    listing: 2,
    reads: 2,
    creates: 1,
    removes: 1,
    followed: 1,
    tokens: 'once',
  },
  {
    ...certManager,
    key: 'clouddns',
    // The provider, and with it the source of tokens, is made anew for each call: dns.go solverForChallenge.
    source: `${certManagerAt}/clouddns/clouddns.go Present, CleanUp, getHostedZone; ${certManagerAt}/dns.go`,
    listing: 2,
    reads: 2,
    creates: 1,
    removes: 1,
    followed: 1,
    tokens: 2,
  },
  {
    ...lego,
    key: 'routedns',
    source: `${legoAt}/route53/route53.go Present, CleanUp, changeRecord, getHostedZoneID`,
    listing: 2,
    reads: 2,
    creates: 1,
    removes: 1,
    followed: 2,
    tokens: 0,
  },
  {
    ...certManager,
    key: 'routedns',
    source: `${certManagerAt}/route53/route53.go changeRecord, getHostedZoneID`,
    listing: 2,
    reads: 0,
    creates: 1,
    removes: 1,
    followed: 2,
    tokens: 0,
  },
  {
    ...lego,
    key: 'edgedns',
    source: `${legoAt}/cloudflare/cloudflare.go Present, CleanUp; wrapper.go ZoneIDByName`,
    listing: 'once a zone',
    reads: 0,
    creates: 1,
    removes: 1,
    followed: 0,
    tokens: 0,
  },
  {
    ...certManager,
    key: 'edgedns',
    // Three questions each time for _acme-challenge.HOST.ZONE: it begins with the whole name. Present does so twice.
    source: `${certManagerAt}/cloudflare/cloudflare.go Present, CleanUp, findTxtRecord, FindNearestZoneForFQDN`,
    listing: 9,
    reads: 2,
    creates: 1,
    removes: 1,
    followed: 0,
    tokens: 0,
  },
  {
    ...lego,
    key: 'fastdns',
    source: `${legoAt}/edgedns/edgedns.go Present, CleanUp`,
    listing: 0,
    reads: 2,
    creates: 1,
    removes: 1,
    followed: 0,
    tokens: 0,
  },
  {
    ...certManager,
    key: 'fastdns',
    source: `${certManagerAt}/akamai/akamai.go Present, CleanUp`,
    listing: 0,
    reads: 2,
    creates: 1,
    removes: 1,
    followed: 0,
    tokens: 0,
  },
];

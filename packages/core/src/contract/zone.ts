import type { DnsName } from '@zoneproof/dns';

/**
 * A zone that a provider's credentials can write.
 *
 *   {id: '/Z0123', name: 'example.com', visibility: 'public'}
 *
 * `id` is what the vendor addresses the zone by; where the vendor has none it equals `name`.
 */
export interface Zone {
  readonly id: string;
  readonly name: DnsName;
  /** Private zones are never chosen: the CA cannot see them. Absent means public. */
  readonly visibility?: 'public' | 'private';
  /** The name servers that the service has given the zone, where it tells them. A preflight compares them with the DNS. */
  readonly nameServers?: readonly DnsName[];
}

/**
 * Where one challenge's value has to be published.
 *
 *   domain          www.example.com                   the identifier, without `*.`
 *   challengeName   _acme-challenge.www.example.com   where the CA starts to look (RFC 8555 8.4)
 *   name            6f1c.auth.example.net             where the CNAME chain ends; equals challengeName without one
 */
export interface RecordTarget {
  readonly domain: DnsName;
  readonly challengeName: DnsName;
  readonly name: DnsName;
  /** The zone that answers for `name` in the DNS; absent where nobody has looked. */
  readonly zone?: DnsName;
}

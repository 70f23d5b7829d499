import type { BenchValue } from './simulated-zones.ts';
import type { Queries } from './watch-values.ts';

/**
 * What lego does for one challenge by its code, github.com/go-acme/lego/v5@v5.3.1: challenge/dns01/dns_challenge.go
 * (Solve), dns_challenge_precheck.go, client_nameservers.go, client_cname.go; challenge/internal/nameservers.go,
 * client_zone.go. Kindly: a resolver that keeps nothing and asks the fastest server, answers that take no time, and
 * no end to its patience, which is 60 s.
 */
export function legoCheck({ name, lagsMs }: BenchValue): { readonly passedMs: number; readonly queries: Queries } {
  // A CNAME question in Present and in Solve; the SOA of the name and of each parent, once, down to the zone's two labels.
  const locate = 2 + (name.split('.').length - 1);
  const resolverLagMs = Math.min(...lagsMs);
  let watch = 0;
  for (let at = pollMs; ; at += pollMs) {
    // TXT at a resolver for the CNAME, TXT at each resolver for the value.
    watch += 2;
    if (resolverLagMs > at) continue;
    // NS of the zone, then the servers in turn up to the first that lacks the value.
    const lacking = lagsMs.findIndex((lagMs) => lagMs > at);
    watch += 1 + (lacking < 0 ? lagsMs.length : lacking + 1);
    if (lacking < 0) return { passedMs: at - Math.max(...lagsMs), queries: { locate, watch, confirm: 0 } };
  }
}

export const legoVersion = '5.3.1';

/** Before the first look, and after each. */
const pollMs = 2000;

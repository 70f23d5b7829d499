import type { DnsName } from '@zoneproof/dns';
import { answerFrom, refused, type ScriptedZone, type Sections } from './zone.ts';

/** A negative answer, and until when a resolver gives it again without looking (RFC 2308). Epoch milliseconds. */
export interface Denial {
  readonly name: DnsName;
  readonly type: string;
  readonly until: number;
}

/** Answers as a resolver does that knows all of these zones; a denial is kept for the zone's negative TTL. */
export function createRecursion(zones: () => readonly ScriptedZone[], now: () => number) {
  const denials: Denial[] = [];
  const kept = new Map<string, { readonly until: number; readonly sections: Sections }>();

  return {
    denials,
    answer(name: DnsName, type: string, rd: boolean): Sections {
      if (!rd) return refused;
      // RFC 2308 5: that a name does not exist is kept for every type.
      const known = kept.get(name) ?? kept.get(`${name} ${type}`);
      if (known !== undefined && now() < known.until) return known.sections;
      const sections = recursed(answerFrom(zones(), name, type));
      if (!sections.answers.some((each) => each.type === type) && sections.rcode !== 'SERVFAIL') {
        const soa = sections.authorities.find((each) => each.type === 'SOA');
        const until = now() + (soa?.type === 'SOA' ? soa.data.minimum : 60) * 1000;
        denials.push({ name, type, until });
        kept.set(sections.rcode === 'NXDOMAIN' ? name : `${name} ${type}`, { until, sections });
      }
      return sections;
    },
  };
}

function recursed(found: Sections): Sections {
  const answer = { ...found, aa: false, additionals: [] };
  // What no zone holds does not exist.
  if (found.rcode === 'REFUSED') return { ...answer, rcode: 'NXDOMAIN' };
  // A delegation to servers that nobody has.
  if (!found.aa && found.answers.length === 0) return { ...answer, rcode: 'SERVFAIL', authorities: [] };
  return answer;
}

import { type DnsMessage, type DnsName, type DnsRecord, isWithin, labelsOf, parentOf, toDnsName } from '@zoneproof/dns';

/** `['www.example.com', 'A', '192.0.2.1']`; TXT takes one string or several. */
export type RecordLine = readonly [name: string, type: 'A' | 'AAAA' | 'NS' | 'CNAME' | 'TXT', ...data: string[]];

/** One zone of one server. */
export interface ZoneData {
  readonly apex: DnsName;
  records: DnsRecord[];
}

export function zone(apex: string, ...lines: RecordLine[]): ZoneData {
  return { apex: toDnsName(apex), records: lines.map(record) };
}

export function record([owner, type, ...data]: RecordLine): DnsRecord {
  const frame = { name: toDnsName(owner), ttl: 60 };
  switch (type) {
    case 'TXT':
      return { ...frame, type, data };
    case 'NS':
    case 'CNAME':
      return { ...frame, type, data: toDnsName(data[0] ?? '') };
    default:
      return { ...frame, type, data: data[0] ?? '' };
  }
}

export type Sections = Pick<DnsMessage, 'rcode' | 'aa' | 'answers' | 'authorities' | 'additionals'>;

export const refused: Sections = { rcode: 'REFUSED', aa: false, answers: [], authorities: [], additionals: [] };

/** RFC 1034 4.3.2: referrals with glue, wildcards, aliases followed within the server, empty non-terminals. */
export function authoritativeAnswer(zones: readonly ZoneData[], name: DnsName, type: string): Sections {
  const answers: DnsRecord[] = [];
  for (let at = name; ; ) {
    const here = zones.filter(({ apex }) => isWithin(at, apex)).sort((a, b) => b.apex.length - a.apex.length)[0];
    if (!here) return answers.length > 0 ? { ...refused, rcode: 'NOERROR', aa: true, answers } : refused;
    const cut = delegation(here, at);
    if (cut.length > 0) {
      const hosts = new Set(cut.map(({ data }) => data));
      const additionals = here.records.filter(({ type, name }) => (type === 'A' || type === 'AAAA') && hosts.has(name));
      return { rcode: 'NOERROR', aa: answers.length > 0, answers, authorities: cut, additionals };
    }
    const found = recordsAt(here, at);
    const wanted = found.filter((each) => each.type === type);
    const alias = found.find((each) => each.type === 'CNAME');
    if (wanted.length > 0 || !alias) {
      answers.push(...wanted);
      const authorities = wanted.length > 0 ? [] : [soa(here.apex)];
      const rcode = found.length > 0 || exists(here, at) ? 'NOERROR' : 'NXDOMAIN';
      return { rcode, aa: true, answers, authorities, additionals: [] };
    }
    answers.push(alias);
    if (alias.type !== 'CNAME' || answers.filter(({ name }) => name === alias.data).length > 0)
      return { rcode: 'NOERROR', aa: true, answers, authorities: [], additionals: [] };
    at = alias.data;
  }
}

export function soa(apex: DnsName): DnsRecord {
  const data = { mname: toDnsName(`ns1.${apex}`), rname: toDnsName(`admin.${apex}`), serial: 7 };
  return {
    name: apex,
    type: 'SOA',
    ttl: 60,
    data: { ...data, refresh: 3600, retry: 600, expire: 86_400, minimum: 60 },
  };
}

function delegation({ apex, records }: ZoneData, name: DnsName): DnsRecord[] {
  const path: DnsName[] = [];
  for (let at: DnsName | undefined = name; at !== undefined && at !== apex; at = parentOf(at)) path.unshift(at);
  for (const at of path) {
    const cut = records.filter((each) => each.type === 'NS' && each.name === at);
    if (cut.length > 0) return cut;
  }
  return [];
}

function recordsAt(here: ZoneData, name: DnsName): DnsRecord[] {
  if (exists(here, name)) return here.records.filter((each) => each.name === name);
  for (let at = parentOf(name); at !== undefined && labelsOf(at).length > 0; at = parentOf(at)) {
    const source = here.records.filter((each) => each.name === `*.${at}`);
    if (source.length > 0) return source.map((each) => ({ ...each, name }));
    if (exists(here, at)) return [];
  }
  return [];
}

function exists({ apex, records }: ZoneData, name: DnsName): boolean {
  return name === apex || records.some((each) => isWithin(each.name, name));
}

import { type DnsMessage, type DnsName, type DnsRecord, isWithin, parentOf, toDnsName } from '@zoneproof/dns';

/** `['www.example.com', 'A', '192.0.2.1']`; TXT takes one string or several. */
export type RecordLine = readonly [
  name: string,
  type: 'A' | 'AAAA' | 'NS' | 'CNAME' | 'DNAME' | 'TXT',
  ...data: string[],
];

/** One zone as one server has it. */
export interface ScriptedZone {
  readonly apex: DnsName;
  readonly records: DnsRecord[];
  /** What is there besides by now. */
  live(): readonly DnsRecord[];
  serial(): number;
  /** Seconds that a resolver keeps a denial. */
  negativeTtl: number;
}

export function scriptedZone(apex: string, ...lines: readonly RecordLine[]): ScriptedZone {
  return { apex: toDnsName(apex), records: lines.map(toRecord), live: () => [], serial: () => 7, negativeTtl: 60 };
}

export function toRecord([owner, type, ...data]: RecordLine): DnsRecord {
  const frame = { name: toDnsName(owner), ttl: 60 };
  const [first = ''] = data;
  switch (type) {
    case 'TXT':
      return { ...frame, type, data };
    case 'NS':
    case 'CNAME':
    case 'DNAME':
      return { ...frame, type, data: toDnsName(first) };
    default:
      return { ...frame, type, data: first };
  }
}

export type Sections = Pick<DnsMessage, 'rcode' | 'aa' | 'answers' | 'authorities' | 'additionals'>;

export const refused: Sections = { rcode: 'REFUSED', aa: false, answers: [], authorities: [], additionals: [] };

/** RFC 1034 4.3.2: referrals with glue, wildcards, empty non-terminals, CNAME and DNAME followed within the zones. */
export function answerFrom(zones: readonly ScriptedZone[], name: DnsName, type: string): Sections {
  const answers: DnsRecord[] = [];
  const passed = new Set<DnsName>();
  const end = (more: Partial<Sections>): Sections => ({
    rcode: 'NOERROR',
    aa: true,
    answers,
    authorities: [],
    additionals: [],
    ...more,
  });
  for (let at = name; ; ) {
    const [here] = zones.filter(({ apex }) => isWithin(at, apex)).sort((a, b) => b.apex.length - a.apex.length);
    if (here === undefined) return answers.length > 0 ? end({}) : refused;
    const records = [soaOf(here), ...here.records, ...here.live()];
    const cut = delegationOf(here.apex, records, at);
    if (cut.length > 0) {
      const hosts = new Set(cut.map(({ data }) => data));
      const glue = records.filter((each) => (each.type === 'A' || each.type === 'AAAA') && hosts.has(each.name));
      return end({ aa: answers.length > 0, authorities: cut, additionals: glue });
    }
    const found = recordsAt(here.apex, records, at);
    const wanted = found.filter((each) => each.type === type);
    if (wanted.length > 0) {
      answers.push(...wanted);
      return end({});
    }
    const alias = found.find((each) => each.type === 'CNAME') ?? renamed(records, at, answers);
    if (alias?.type !== 'CNAME') {
      const rcode = found.length > 0 || exists(here.apex, records, at) ? 'NOERROR' : 'NXDOMAIN';
      return end({ rcode, authorities: [soaOf(here)] });
    }
    passed.add(at);
    answers.push(alias);
    if (passed.has(alias.data)) return end({});
    at = alias.data;
  }
}

export function soaOf({ apex, serial, negativeTtl }: ScriptedZone): DnsRecord {
  return {
    name: apex,
    type: 'SOA',
    ttl: negativeTtl,
    data: {
      mname: toDnsName(`ns1.${apex}`),
      rname: toDnsName(`admin.${apex}`),
      serial: serial(),
      refresh: 3600,
      retry: 600,
      expire: 86_400,
      minimum: negativeTtl,
    },
  };
}

function delegationOf(apex: DnsName, records: readonly DnsRecord[], name: DnsName): DnsRecord[] {
  const path: DnsName[] = [];
  for (let at: DnsName | undefined = name; at !== undefined && at !== apex; at = parentOf(at)) path.unshift(at);
  for (const at of path) {
    const cut = records.filter((each) => each.type === 'NS' && each.name === at);
    if (cut.length > 0) return cut;
  }
  return [];
}

function recordsAt(apex: DnsName, records: readonly DnsRecord[], name: DnsName): DnsRecord[] {
  if (exists(apex, records, name)) return records.filter((each) => each.name === name);
  for (let at = parentOf(name); at !== undefined && isWithin(at, apex); at = parentOf(at)) {
    const source = records.filter((each) => each.name === `*.${at}`);
    if (source.length > 0) return source.map((each) => ({ ...each, name }));
    if (exists(apex, records, at)) return [];
  }
  return [];
}

/** The CNAME that follows from a DNAME above `name` (RFC 6672 2.2), with the DNAME before it in `answers`. */
function renamed(records: readonly DnsRecord[], name: DnsName, answers: DnsRecord[]): DnsRecord | undefined {
  const dname = records.find((each) => each.type === 'DNAME' && each.name !== name && isWithin(name, each.name));
  if (dname?.type !== 'DNAME') return undefined;
  answers.push(dname);
  return { name, type: 'CNAME', ttl: dname.ttl, data: toDnsName(name.slice(0, -dname.name.length) + dname.data) };
}

function exists(apex: DnsName, records: readonly DnsRecord[], name: DnsName): boolean {
  return name === apex || records.some((each) => isWithin(each.name, name));
}

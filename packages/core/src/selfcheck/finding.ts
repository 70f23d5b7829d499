import { DnsExchangeError, type DnsMessage, type DnsName, type Exchange, type SoaData } from '@zoneproof/dns';
import { noAnswerReason } from './ask.ts';
import { readReply, shown } from './reply.ts';
import { readListedTxt } from './resolvers.ts';
import type { ServerEvidence } from './types.ts';

/** What was wanted where. */
export interface Sought {
  readonly target: DnsName;
  readonly zone: DnsName;
  readonly values: readonly string[];
}

/** One server's answer, and the SOA that came with it. */
export interface Finding {
  readonly row: ServerEvidence;
  readonly soa?: SoaData;
}

/** What an authoritative server's answer to `target TXT` means for the values. */
export function readFinding(who: Who, answer: Exchange, { target, zone, values: wanted }: Sought): Finding {
  const { message } = answer;
  const reply = readReply(message, target, zone);
  const base = { ...who, ...facts(answer), aa: message.aa };
  switch (reply.kind) {
    case 'values': {
      const finding = wanted.every((value) => reply.values.includes(value)) ? 'has' : 'lacks';
      return { row: { ...base, finding, values: shortened(reply.values), ...detail(message) } };
    }
    case 'none':
      return {
        row: { ...base, finding: 'lacks', ...detail(message) },
        ...(reply.soa === undefined ? {} : { soa: reply.soa }),
      };
    case 'alias':
      return {
        row: {
          ...base,
          finding: 'lacks',
          alias: reply.target,
          ...detail(message, `it has a CNAME to ${reply.target} there`),
        },
      };
    case 'referral':
      return {
        row: { ...base, finding: 'lame', ...detail(message, `it refers to the servers of ${shown(reply.zone)}`) },
      };
    case 'lame':
      return { row: { ...base, finding: 'lame', ...detail(message, reply.reason) } };
  }
}

/** What a listed server's answer to `target TXT` means; it follows CNAMEs itself. */
export function readListedFinding(who: Who, answer: Exchange, { target, values: wanted }: Sought): Finding {
  const { message } = answer;
  const base = { ...who, ...facts(answer), aa: message.aa };
  if (message.rcode !== 'NOERROR' && message.rcode !== 'NXDOMAIN')
    return { row: { ...base, finding: 'lame', ...detail(message, `it answers ${message.rcode}`) } };
  const { values, chain } = readListedTxt(message, target);
  const finding = wanted.every((value) => values.includes(value)) ? 'has' : 'lacks';
  const [, ...aliases] = chain;
  const passed = aliases.length > 0 ? [`it has a CNAME to ${aliases.join(' and on to ')} there`] : [];
  const alias = aliases.at(-1);
  const shown = values.length === 0 ? {} : { values: shortened(values) };
  const led = alias === undefined ? {} : { alias };
  return { row: { ...base, finding, ...led, ...shown, ...detail(message, ...passed) } };
}

/** A server that gave no answer. */
export function unreachable(who: Who, error: unknown): ServerEvidence {
  const transport = error instanceof DnsExchangeError ? error.transport : 'udp';
  return { ...who, finding: 'unreachable', transport, detail: noAnswerReason(error) };
}

/** An authoritative server of which no address is known. */
export function withoutAddress(server: string): ServerEvidence {
  return { server, address: '', finding: 'unreachable', transport: 'udp', detail: 'no address is known for it' };
}

export type Who = Pick<ServerEvidence, 'server' | 'address'>;

function facts({ transport, rttMs, message }: Exchange) {
  return { transport, rttMs: Math.round(rttMs * 10) / 10, rcode: message.rcode };
}

const maxDetail = 300;

function detail(message: DnsMessage, ...parts: string[]): { detail?: string } {
  const told = (message.edns?.extendedErrors ?? []).map(({ code, text }) => `EDE ${code} ${text}`.trim()).join(', ');
  const all = [...parts, told].filter((part) => part !== '').join('; ');
  return all === '' ? {} : { detail: all.slice(0, maxDetail) };
}

/** Sorted, since many servers give them in another order each time (RFC 1034 3.6), and that is no news. */
function shortened(values: readonly string[]): string[] {
  return values
    .toSorted()
    .slice(0, 8)
    .map((value) => {
      // Foreign values may hold anything, and this is printed.
      const printable = value.replace(/[^\x20-\x7e]/g, '?');
      return printable.length > 12 ? `${printable.slice(0, 11)}~` : printable;
    });
}

import { DnsExchangeError, type DnsMessage } from '@zoneproof/dns';
import type { Clock } from '../contract/index.ts';
import { linkedController } from './abort.ts';
import { type Ask, noAnswerReason } from './ask.ts';
import type { Gate } from './gate.ts';
import { readReply, shown } from './reply.ts';
import { summarise } from './summary.ts';
import type { AuthoritativeServer, Evidence, Location, ServerEvidence } from './types.ts';
import { judge } from './verdict.ts';
import { authoritativePort } from './zone-servers.ts';

/** Asks every server of a location at once for the target's TXT. @throws the signal's reason only */
export async function lookAtServers(
  location: Location,
  values: readonly string[],
  { ask, gate, clock }: { readonly ask: Ask; readonly gate: Gate; readonly clock: Clock },
  signal: AbortSignal,
): Promise<Evidence> {
  const at = clock.now();
  // Values are octets on the wire, and TXT is decoded as latin1.
  const wanted = values.map((value) => Buffer.from(value, 'utf8').toString('latin1'));
  let refresh: number | undefined;
  const observe = async (server: AuthoritativeServer, shared: AbortSignal): Promise<ServerEvidence> => {
    const to = { address: server.address, port: authoritativePort };
    const question = { name: location.target, type: 'TXT' } as const;
    try {
      const answer = await gate.run(() => ask(question, to, { rd: false, signal: shared }), shared);
      const { refresh: seconds, ...finding } = readFinding(answer.message, location, wanted);
      refresh = seconds ?? refresh;
      const { rcode, aa } = answer.message;
      const rttMs = Math.round(answer.rttMs * 10) / 10;
      return { ...identity(server), transport: answer.transport, rttMs, rcode, aa, ...finding };
    } catch (error) {
      shared.throwIfAborted();
      const transport = error instanceof DnsExchangeError ? error.transport : 'udp';
      return { ...identity(server), finding: 'unreachable', transport, detail: noAnswerReason(error) };
    }
  };
  const { controller, unlink } = linkedController(signal);
  const asked = await Promise.all(location.servers.map((server) => observe(server, controller.signal))).finally(unlink);
  const servers = [...asked, ...(location.unresolved ?? []).map(withoutAddress)];
  const verdict = judge(servers);
  const { zone, target } = location;
  return {
    verdict,
    at,
    zone,
    target,
    servers,
    summary: summarise({ verdict, zone, target, servers }, values.length, refresh),
  };
}

type Finding = Pick<ServerEvidence, 'finding' | 'values' | 'detail'> & { readonly refresh?: number };

function readFinding(message: DnsMessage, location: Location, wanted: readonly string[]): Finding {
  const reply = readReply(message, location.target, location.zone);
  const told = (message.edns?.extendedErrors ?? []).map(({ code, text }) => `EDE ${code} ${text}`.trim()).join(', ');
  const detail = (...parts: string[]) => {
    const all = [...parts, told].filter((part) => part !== '');
    return all.length === 0 ? {} : { detail: all.join('; ') };
  };
  switch (reply.kind) {
    case 'values': {
      const finding = wanted.every((value) => reply.values.includes(value)) ? 'has' : 'lacks';
      return { finding, values: reply.values.slice(0, 8).map(shorten), ...detail() };
    }
    case 'none':
      return { finding: 'lacks', ...detail(), ...(reply.refresh === undefined ? {} : { refresh: reply.refresh }) };
    case 'alias':
      return { finding: 'lacks', ...detail(`it has a CNAME to ${reply.target} there`) };
    case 'referral':
      return { finding: 'lame', ...detail(`it refers to the servers of ${shown(reply.zone)}`) };
    case 'lame':
      return { finding: 'lame', ...detail(reply.reason) };
  }
}

function identity({ name, address }: AuthoritativeServer) {
  return { server: name, address };
}

function withoutAddress(server: AuthoritativeServer['name']): ServerEvidence {
  return { server, address: '', finding: 'unreachable', transport: 'udp', detail: 'no address is known for it' };
}

function shorten(value: string): string {
  // Foreign values may hold anything, and this is printed.
  const printable = value.replace(/[^\x20-\x7e]/g, '?');
  return printable.length > 12 ? `${printable.slice(0, 11)}~` : printable;
}

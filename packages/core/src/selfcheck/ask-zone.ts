import { DnsExchangeError, type DnsMessage, type DnsName } from '@zoneproof/dns';
import { type Ask, noAnswerReason, type Question } from './ask.ts';
import { firstUsable } from './first-usable.ts';
import type { Gate } from './gate.ts';
import { type Reply, readReply, shown } from './reply.ts';
import { type AuthoritativeServer, LocateError, SilentZoneError } from './types.ts';
import { authoritativePort, type ZoneServers } from './zone-servers.ts';

/** Asks the servers of a zone, one at a time, until one answers with authority. */
export interface ZoneAsker {
  /**
   * @throws LocateError `unreachable` when none does, a SilentZoneError when none answers at all; the message names
   * each server that was asked
   */
  txt(zone: ZoneServers, name: DnsName, signal: AbortSignal): Promise<Exclude<Reply, { kind: 'lame' }>>;
  /** The answer to `apex NS`, or undefined when no server gives one with authority. */
  ns(zone: ZoneServers, apex: DnsName, signal: AbortSignal): Promise<DnsMessage | undefined>;
}

export function createZoneAsker(ask: Ask, gate: Gate, hedgeMs: number): ZoneAsker {
  const standings = new WeakMap<ZoneServers, Standing>();

  async function firstOf<T>(
    zone: ZoneServers,
    question: Question,
    signal: AbortSignal,
    read: (message: DnsMessage) => T,
  ) {
    const standing = standings.get(zone) ?? { turn: 0, failing: new Set() };
    standings.set(zone, standing);
    const candidates = inTurn(zone.servers, standing);
    const attempt = async ({ address }: AuthoritativeServer, attemptSignal: AbortSignal) => {
      const to = { address, port: authoritativePort };
      return read((await ask(question, to, { rd: false, signal: attemptSignal })).message);
    };
    const outcome = await gate.run(() => firstUsable(candidates, hedgeMs, signal, attempt), signal);
    for (const candidate of candidates) {
      // Whoever comes before the one that answered has failed or was too slow: the next question begins elsewhere.
      if (candidate === outcome.from) {
        standing.failing.delete(candidate.address);
        break;
      }
      standing.failing.add(candidate.address);
    }
    return outcome;
  }

  return {
    async txt(zone, name, signal) {
      const { answer, failures } = await firstOf(zone, { name, type: 'TXT' }, signal, (message) => {
        const reply = readReply(message, name, zone.zone);
        if (reply.kind === 'lame') throw new Error(reply.reason);
        return reply;
      });
      if (answer) return answer;
      // In the order of names: who was asked first changes each time, and a message that stays is told once.
      const reasons = failures
        .map(({ candidate, error }) => `${candidate.name} ${candidate.address}: ${noAnswerReason(error)}`)
        .sort();
      const silent = failures.filter(({ error }) => error instanceof DnsExchangeError);
      const advice =
        silent.length > 0 || failures.length === 0
          ? 'check that this machine reaches port 53 over UDP and TCP, and that the delegation is right'
          : `correct the NS records of ${shown(zone.zone)} at its parent, or let these servers serve it`;
      const message = `no authoritative server of ${shown(zone.zone)} can be asked for ${name} (${reasons.join('; ')}); ${advice}`;
      const [first] = failures;
      if (silent.length === failures.length) throw new SilentZoneError(zone.zone, message, first?.error);
      throw new LocateError('unreachable', message, first?.error);
    },
    async ns(zone, apex, signal) {
      const { answer } = await firstOf(zone, { name: apex, type: 'NS' }, signal, (message) => {
        if (message.aa && message.rcode === 'NOERROR') return message;
        throw new Error('it answers without authority');
      });
      return answer;
    },
  };
}

interface Standing {
  turn: number;
  readonly failing: Set<string>;
}

// Enough to get past a site that is down, few enough to keep the wait bounded.
const maxAsked = 8;

function inTurn(servers: readonly AuthoritativeServer[], standing: Standing): AuthoritativeServer[] {
  const from = standing.turn++ % servers.length;
  const turned = [...servers.slice(from), ...servers.slice(0, from)];
  const failing = ({ address }: AuthoritativeServer) => standing.failing.has(address);
  return [...turned.filter((server) => !failing(server)), ...turned.filter(failing)].slice(0, maxAsked);
}

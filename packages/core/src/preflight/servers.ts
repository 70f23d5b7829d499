import type { Facts, Verdict } from './finding.ts';
import type { ServerAnswer, ServerObservation, ZoneObservation } from './observe-zone.ts';

/**
 * Whether every address of every name server answers over UDP and TCP (RFC 7766) and with authority. A name server is
 * good when one of its addresses is, as for the self check, which wants half of them. Pure.
 */
export function judgeServers({ zone, servers, unresolved }: ZoneObservation): Verdict {
  const states = servers.map((server) => ({ server, state: stateOf(server) }));
  const names = new Set([...servers.map(({ name }) => name), ...unresolved]);
  const good = new Set(states.filter(({ state }) => state.good).map(({ server }) => server.name));
  const facts: Facts = {
    servers: states.map(({ server, state }) => ({ ...describe(server), state: state.text })),
    unresolved: [...unresolved],
  };
  // An IPv6 address is often out of reach from here and of no interest when the server has another one.
  const bad = states.filter(({ server, state }) => !state.good && !(state.noWay && good.has(server.name)));
  const partly = states.filter(({ state }) => state.good && state.text !== 'answers');
  const told = [
    ...[...bad, ...partly].map(({ server, state }) => `${server.name} ${server.address} ${state.text}`),
    ...unresolved.map((name) => `${name} has no known address`),
  ];
  const all = `${servers.length} ${servers.length === 1 ? 'address' : 'addresses'} of ${names.size} name ${names.size === 1 ? 'server' : 'servers'} of ${zone}`;
  if (good.size === 0 || good.size * 2 < names.size)
    return {
      result: 'failed',
      detail: `${good.size === 0 ? 'none' : `only ${good.size}`} of ${names.size} name servers of ${zone} answers for it (${shortened(told)}); ${cure(bad, zone)}`,
      facts,
    };
  if (told.length > 0)
    return { result: 'warning', detail: `of ${all}, ${shortened(told)}; ${cure([...bad, ...partly], zone)}`, facts };
  const skipped = states.length - states.filter(({ state }) => state.good).length;
  const note = skipped === 0 ? '' : `; ${skipped} with no way from here ${skipped === 1 ? 'was' : 'were'} left out`;
  return { result: 'ok', detail: `${all} answer with authority over UDP and TCP${note}`, facts };
}

interface State {
  readonly good: boolean;
  readonly noWay: boolean;
  readonly text: string;
}

function stateOf({ udp, tcp }: ServerObservation): State {
  const answers = [udp, tcp].filter((answer) => 'rcode' in answer);
  if (answers.length === 0)
    return {
      good: false,
      noWay: 'noWay' in udp && 'noWay' in tcp && udp.noWay && tcp.noWay,
      text: 'problem' in tcp ? `does not answer (${tcp.problem})` : 'does not answer',
    };
  const lame = answers.find((answer) => !answer.isAuthoritative);
  if (lame !== undefined)
    return { good: false, noWay: false, text: `answers ${lame.rcode} without authority for the zone` };
  if ('problem' in udp) return { good: true, noWay: false, text: `answers over TCP only (${udp.problem})` };
  if ('problem' in tcp) return { good: true, noWay: false, text: `answers over UDP only (${tcp.problem})` };
  return { good: true, noWay: false, text: 'answers' };
}

function cure(states: readonly { readonly state: State }[], zone: string): string {
  if (states.some(({ state }) => state.text.startsWith('does not answer')))
    return 'check that port 53 of these servers is open for UDP and TCP, also from here';
  if (states.some(({ state }) => !state.good))
    return `let these servers serve ${zone}, or take them out of its NS records`;
  return 'open port 53 for both UDP and TCP, since answers with DNSSEC and many values need TCP';
}

function shortened(told: readonly string[]): string {
  return told.length <= 3 ? told.join('; ') : `${told.slice(0, 3).join('; ')}; and ${told.length - 3} more`;
}

function describe({ name, address, udp, tcp }: ServerObservation): Facts {
  return { name, address, udp: answerFacts(udp), tcp: answerFacts(tcp) };
}

function answerFacts(answer: ServerAnswer): Facts {
  if ('problem' in answer) return { problem: answer.problem };
  return { rcode: answer.rcode, aa: answer.isAuthoritative, rttMs: answer.rttMs };
}

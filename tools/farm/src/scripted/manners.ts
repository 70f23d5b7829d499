import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type DnsMessage, type DnsRecord, encodeMessage } from '@zoneproof/dns';
import { encodeAnswer, type Manner, type Query, type Reply } from './server.ts';

/** Ways in which name servers of the real world misbehave. */
export const silent: Manner = () => 'silent';

export const refuses: Manner = () => ({ rcode: 'REFUSED', aa: false, answers: [], authorities: [] });

export const fails: Manner = () => ({ rcode: 'SERVFAIL', aa: false, answers: [], authorities: [] });

export const lacksAuthority: Manner = () => ({ aa: false });

export const truncates: Manner = ({ transport }) =>
  transport === 'udp' ? { tc: true, answers: [], authorities: [], additionals: [] } : {};

/** RFC 6891 7: it knows no EDNS and says so. */
export const refusesEdns: Manner = ({ message }) =>
  message.edns ? { rcode: 'FORMERR', aa: false, answers: [], authorities: [] } : {};

/** A firewall before it drops datagrams with EDNS. */
export const dropsEdns: Manner = ({ message, transport }) => (transport === 'udp' && message.edns ? 'silent' : {});

/** It gives names back in lower case. */
export const lowersCase: Manner = ({ message }) => ({
  questions: message.questions.map(({ name, type }) => ({ name, type })),
});

/** Octets that are no DNS message. */
export function garbles(octets: (query: Query) => Uint8Array): Manner {
  return (query) => ({ octets: [octets(query)] });
}

/** Before the answer come forgeries with other ids, in the right letter case and from the right address. */
export function floodsWrongIds(count: number, forged: (query: Query) => readonly DnsRecord[]): Manner {
  return (query, usual) => {
    const answer = encodeAnswer(query.message, usual, query.transport);
    if (query.transport === 'tcp') return { octets: [answer] };
    const octets: Uint8Array[] = [];
    for (let i = 1; i <= count; i++)
      octets.push(forgery(query, forged(query), { id: (query.message.id + i) & 0xffff }));
    return { octets: [...octets, answer] };
  };
}

/** Somebody at another address who knows everything, id and letter case, answers before the server does. */
export function isSpoofedFrom(address: string, count: number, forged: (query: Query) => readonly DnsRecord[]): Manner {
  return async (query) => {
    if (query.transport === 'tcp') return {};
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    socket.bind(0, address);
    await once(socket, 'listening');
    const wire = forgery(query, forged(query));
    const sendOne = () =>
      new Promise<void>((resolve) => socket.send(wire, query.from.port, query.from.address, () => resolve()));
    for (let i = 0; i < count; i++) await sendOne();
    socket.close();
    return {};
  };
}

/** Somebody who guessed the id, at the right address, does not know the letter case. */
export function isSpoofedInLowerCase(forged: (query: Query) => readonly DnsRecord[]): Manner {
  return (query): Reply => {
    if (query.transport === 'tcp') return {};
    const questions = query.message.questions.map(({ name, type }) => ({ name, type }));
    return { octets: [forgery(query, forged(query), { questions })] };
  };
}

function forgery(query: Query, answers: readonly DnsRecord[], more: Partial<DnsMessage> = {}): Uint8Array {
  const { id, questions } = query.message;
  return encodeMessage({ id, questions, response: true, aa: true, answers, ...more });
}

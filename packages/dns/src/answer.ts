import { randomBytes } from 'node:crypto';
import { decodeMessage } from './decode.ts';
import { DnsDecodeError, type DnsMessage, type DnsQuestion } from './message.ts';

/** A random message id (RFC 5452 9.2). */
export function randomId(random: (length: number) => Uint8Array = randomBytes): number {
  const [high = 0, low = 0] = random(2);
  return (high << 8) | low;
}

/** What a message was sent with, and so what its answer has to have. */
export type Asked = Pick<DnsMessage, 'id' | 'opcode'> & { readonly question: DnsQuestion };

/** The answer to what was asked, or why `wire` is none. The id is looked at first: forgeries are cheap to drop. */
export function readAnswer(wire: Uint8Array, asked: Asked): DnsMessage | string {
  if (wire.length >= 2 && (((wire[0] as number) << 8) | (wire[1] as number)) !== asked.id) return 'another message id';
  try {
    const message = decodeMessage(wire);
    if (!message.response) return 'a query instead of an answer';
    if (message.opcode !== asked.opcode) return `an answer to ${message.opcode} instead of ${asked.opcode}`;
    return hasQuestion(message, asked.question) ? message : 'an answer to another question';
  } catch (error) {
    if (error instanceof DnsDecodeError) return error.message;
    throw error;
  }
}

function hasQuestion(message: DnsMessage, asked: DnsQuestion): boolean {
  const [question, ...others] = message.questions;
  // A server that could not read the question may leave it out, and so may one that answers an UPDATE (RFC 2136 3.8).
  if (question === undefined) return message.opcode === 'UPDATE' || !['NOERROR', 'NXDOMAIN'].includes(message.rcode);
  return (
    others.length === 0 &&
    question.name === asked.name &&
    question.type === asked.type &&
    question.class === (asked.class ?? 'IN')
  );
}

import { decodeMessage } from '@zoneproof/dns';

/** An UPDATE (opcode 5) with at least one record in its update section (RFC 2136 2.2). */
export function isUpdate(query: Uint8Array): boolean {
  return (
    query.length >= 12 && (((query[2] as number) >> 3) & 15) === 5 && ((query[8] as number) | (query[9] as number)) > 0
  );
}

/** `UPDATE example.test SOA` */
export function questionText(query: Uint8Array): string {
  const { opcode, questions } = decodeMessage(query);
  return [opcode, ...questions.map(({ name, type }) => `${name} ${type}`)].join(' ');
}

/** The server's answer SERVFAIL, unsigned: header and question as asked (RFC 1035 4.1.1). */
export function servfail(query: Uint8Array): Uint8Array {
  let end = 12;
  while (query[end] !== 0) end += (query[end] as number) + 1;
  const answer = Uint8Array.from(query.subarray(0, end + 5));
  answer[2] = (answer[2] as number) | 0x80;
  answer[3] = 2;
  answer.fill(0, 6, 12);
  return answer;
}

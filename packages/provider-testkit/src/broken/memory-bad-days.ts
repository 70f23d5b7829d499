import { toDnsName } from '@zoneproof/dns';
import type { BadDay } from '../conformance/fixture.ts';
import { json, type MemoryFault, type MemoryService, targetOf } from './memory-service.ts';

/** Every bad day there is, as the service in memory has it. */
export function memoryBadDays(service: MemoryService): readonly BadDay[] {
  const faulty = (fault: MemoryFault): BadDay['arrange'] => {
    return () => {
      service.fault = fault;
      return {};
    };
  };
  const answers = (status: number, body: unknown, headers?: Readonly<Record<string, string>>): BadDay['arrange'] =>
    faulty({ on: 'write', refuses: true, answer: () => json(status, body, headers) });
  const withZone = (id: string, visibility: 'public' | 'private'): BadDay['arrange'] => {
    return () => {
      const at = service.zoneList.push({ id, name: toDnsName('example.test'), visibility }) - 1;
      return { undo: () => void service.zoneList.splice(at, 1) };
    };
  };
  return [
    {
      name: 'wrong-key',
      arrange: () => ({ ...(service.wrongSecrets && { secrets: service.wrongSecrets }) }),
      ends: 'auth',
      says: /token is refused/,
    },
    { name: 'expired-credentials', arrange: answers(401, { error: 'expired' }), ends: 'auth', says: /expired/ },
    {
      name: 'missing-permission',
      arrange: answers(403, { error: 'forbidden', action: 'txt:write' }),
      ends: 'permission',
      says: /txt:write/,
    },
    { name: 'clock-off', arrange: answers(401, { error: 'clock' }), ends: 'auth', says: /[Cc]lock/ },
    {
      name: 'zone-absent',
      arrange: () => ({ target: targetOf('www.absent.test') }),
      ends: 'zone-not-found',
      says: /2 zones seen/,
    },
    { name: 'zone-twice-public', arrange: withZone('twin', 'public'), ends: 'zone-not-found', says: /twin/ },
    { name: 'zone-public-and-private', arrange: withZone('hidden', 'private'), ends: 'done' },
    {
      name: 'zone-only-as-parent',
      arrange: () => ({ target: targetOf('www.away.example.test') }),
      ends: 'zone-not-found',
      says: /away\.example\.test/,
    },
    { name: 'thousand-changes', arrange: () => ({}), ends: 'done' },
    { name: 'quota-reached', arrange: answers(409, { error: 'quota' }), ends: 'quota' },
    {
      name: 'half-of-batch-refused',
      arrange: () => ({ target: targetOf('refused.example.test') }),
      ends: 'invalid',
      says: /refused-value/,
    },
    { name: 'answer-lost', arrange: faulty({ on: 'write', lost: true }), ends: 'unavailable' },
    {
      name: 'throttled',
      arrange: answers(429, { error: 'slow-down' }, { 'retry-after': '7' }),
      ends: 'rate-limited',
      says: /429/,
    },
    { name: 'server-error', arrange: answers(503, { error: 'down' }), ends: 'unavailable', says: /503/ },
    {
      name: 'html-page',
      arrange: faulty({
        on: 'write',
        refuses: true,
        answer: () => ({ status: 502, headers: { 'content-type': 'text/html' }, body: Buffer.from('<h1>Bad</h1>') }),
      }),
      ends: 'unavailable',
      says: /502/,
    },
    { name: 'answer-lacks-fields', arrange: faulty({ on: 'write', answer: () => json(200, {}) }), ends: 'done' },
    {
      name: 'answer-has-more-fields',
      arrange: faulty({ on: 'write', answer: () => json(200, { change: 'c1', hints: [{}] }) }),
      ends: 'done',
    },
    {
      name: 'foreign-writer-in-between',
      arrange: faulty({ on: 'write', before: (name) => void service.plant(name, 'planted in between', 60) }),
      ends: 'done',
    },
  ];
}

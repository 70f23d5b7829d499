import type { BadDay, Secrets } from '@zoneproof/provider-testkit';
import type { SandboxDns } from '@zoneproof/sandbox';
import { targetOf } from './observer.ts';

/** Bad days of the sandbox's server. */
export function badDays(dns: SandboxDns, wrongSecrets: Secrets): readonly BadDay[] {
  const faulty = (updateFault: Exclude<SandboxDns['updateFault'], undefined>): BadDay['arrange'] => {
    return () => {
      dns.updateFault = updateFault;
      return {
        undo() {
          dns.updateFault = undefined;
        },
      };
    };
  };
  return [
    { name: 'wrong-key', arrange: () => ({ secrets: wrongSecrets }), ends: 'auth', says: /TSIG BADSIG.*acme-update/ },
    { name: 'missing-permission', arrange: faulty('REFUSED'), ends: 'permission', says: /update-policy/ },
    {
      name: 'clock-off',
      arrange() {
        dns.skewMs = 600_000;
        return {
          undo() {
            dns.skewMs = 0;
          },
        };
      },
      // It signs by the server's clock then, and warns.
      ends: 'done',
    },
    {
      name: 'zone-absent',
      arrange: () => ({ target: targetOf('www.other.test') }),
      ends: 'zone-not-found',
      says: /no zone holds _acme-challenge\.www\.other\.test/,
    },
    {
      name: 'zone-only-as-parent',
      arrange() {
        dns.set({ name: 'away.example.test', type: 'NS', value: 'ns1.other.test' });
        return {
          target: targetOf('www.away.example.test'),
          undo: () => dns.remove({ name: 'away.example.test', type: 'NS' }),
        };
      },
      ends: 'zone-not-found',
      says: /delegates away\.example\.test to ns1\.other\.test/,
    },
    { name: 'thousand-changes', arrange: () => ({}), ends: 'done' },
    {
      name: 'half-of-batch-refused',
      arrange() {
        const target = targetOf('alias.example.test');
        dns.set({ name: target.name, type: 'CNAME', value: 'x.other.test' });
        return { target, undo: () => dns.remove({ name: target.name, type: 'CNAME' }) };
      },
      ends: 'action-required',
      says: /is a CNAME to x\.other\.test there/,
    },
    { name: 'server-error', arrange: faulty('SERVFAIL'), ends: 'unavailable', says: /SERVFAIL/ },
  ];
}

/** Days of a real server whose zone example.test delegates away.example.test. */
export function realBadDays(wrongSecrets: Secrets): readonly BadDay[] {
  return [
    { name: 'wrong-key', arrange: () => ({ secrets: wrongSecrets }), ends: 'auth', says: /BADSIG|unsigned/ },
    {
      name: 'zone-absent',
      arrange: () => ({ target: targetOf('www.other.test') }),
      ends: 'zone-not-found',
      says: /no zone holds _acme-challenge\.www\.other\.test/,
    },
    {
      name: 'zone-only-as-parent',
      arrange: () => ({ target: targetOf('www.away.example.test') }),
      ends: 'zone-not-found',
      says: /delegates away\.example\.test to ns1\.other\.test/,
    },
    { name: 'thousand-changes', arrange: () => ({}), ends: 'done' },
  ];
}

/** For `setAside`. */
export const cannotHave: Readonly<Record<string, string>> = {
  'E8 expired-credentials': 'a TSIG key does not expire',
  'E8 zone-twice-public': 'a server has a zone once',
  'E8 zone-public-and-private': 'which view answers is the choice of the server',
  'E8 quota-reached': 'there is no quota',
  'E8 answer-lost': 'A2 arranges it; the server itself would be waited for 5 s',
  'E8 throttled': 'the protocol has no such answer',
  'E8 html-page': 'an answer is a DNS message or none',
  'E8 answer-lacks-fields': 'a DNS message has no optional fields; unsigned answers are in errors.test.ts',
  'E8 answer-has-more-fields': 'a DNS message has no optional fields',
  'E8 foreign-writer-in-between': 'A9 arranges it',
  Z2: 'nothing is asked of a person before an update',
  Z3: 'the zone of a name is asked for, there is no list',
};

/** For `setAside` where the server is a real one, which takes no orders. */
export const cannotArrange: Readonly<Record<string, string>> = {
  ...cannotHave,
  'A7 pretendWrites': 'the sandbox arranges it',
  'E8 missing-permission': 'the sandbox arranges it',
  'E8 clock-off': 'the sandbox arranges it',
  'E8 server-error': 'the sandbox arranges it',
  'E8 half-of-batch-refused': 'the sandbox arranges it; PowerDNS refuses all of a message where a CNAME is in the way',
};

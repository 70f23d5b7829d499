import { type TsigCheck, toDnsName, type UpdateReply } from '@zoneproof/dns';
import { inTheWayError, type Peer, refusalError, unprovenError } from './errors.ts';

const zone = toDnsName('example.test');
const server = { address: '192.0.2.53', port: 53 };
const unkeyed: Peer = { providerName: 'rfc2136 "lab"', server };
const keyed: Peer = { ...unkeyed, key: { name: toDnsName('acme-update'), algorithm: 'hmac-sha256' } };

function reply(rcode: UpdateReply['rcode'], tsig: TsigCheck | undefined, said: string[] = []): UpdateReply {
  const extendedErrors = said.map((text) => ({ code: 18, text }));
  return { rcode, tsig, extendedErrors, transport: 'tcp', rttMs: 1 };
}
const verified = (error = 0): TsigCheck => ({ status: 'verified', error, timeSigned: 1 });

test.each<[string, UpdateReply, Peer, string, RegExp]>([
  [
    'an unknown key',
    reply('NOTAUTH', { status: 'unsigned', error: 17 }),
    keyed,
    'auth',
    /\(NOTAUTH, TSIG BADKEY\)\. Check that key "acme-update" exists there/,
  ],
  [
    'another secret',
    reply('NOTAUTH', { status: 'unsigned', error: 16 }),
    keyed,
    'auth',
    /TSIG BADSIG.*another secret for key "acme-update"/,
  ],
  ['clocks apart', reply('NOTAUTH', verified(18)), keyed, 'auth', /TSIG BADTIME.*clocks/],
  ['a MAC of another length', reply('NOTAUTH', verified(22)), keyed, 'auth', /TSIG BADTRUNC/],
  [
    'a zone that is not there, signed',
    reply('NOTAUTH', verified()),
    keyed,
    'zone-not-found',
    /not the primary of example\.test/,
  ],
  ['a zone that is not there, without a key', reply('NOTAUTH', undefined), unkeyed, 'zone-not-found', /primary/],
  [
    'NOTAUTH of a server that signs no refusal',
    reply('NOTAUTH', { status: 'absent' }),
    keyed,
    'auth',
    /NOTAUTH, unsigned.*exists there and may update/,
  ],
  [
    'REFUSED of a server that signs no refusal',
    reply('REFUSED', { status: 'absent' }),
    keyed,
    'auth',
    /REFUSED, unsigned.*exists there with this secret and hmac-sha256, and may update/,
  ],
  ['a name outside the zone', reply('NOTZONE', verified()), keyed, 'zone-not-found', /zone cuts/],
  [
    'a policy',
    reply('REFUSED', verified()),
    keyed,
    'permission',
    /Allow key "acme-update" to change TXT records of example\.test/,
  ],
  ['an unsigned update', reply('REFUSED', undefined), unkeyed, 'permission', /set tsigKeyName and tsigSecretSecretRef/],
  ['no dynamic updates', reply('NOTIMP', undefined), unkeyed, 'invalid', /no dynamic updates/],
  ['a message it cannot read', reply('FORMERR', { status: 'absent' }), keyed, 'invalid', /could not read/],
  ['trouble of its own', reply('SERVFAIL', verified()), keyed, 'unavailable', /log/],
  ['another writer', reply('NXRRSET', verified()), keyed, 'conflict', /Somebody else/],
  ['a code nobody expects', reply('RCODE3841' as UpdateReply['rcode'], verified()), keyed, 'unavailable', /RCODE3841/],
  [
    'words of its own',
    reply('REFUSED', verified(), ['not on Sundays']),
    keyed,
    'permission',
    /It says: not on Sundays\./,
  ],
])('%s', (_title, answer, peer, kind, message) => {
  const error = refusalError(answer, zone, peer);
  expect(error.kind).toBe(kind);
  expect(error.message).toMatch(message);
  expect(error.message).toMatch(/^rfc2136 "lab": 192\.0\.2\.53:53 refused the update of zone example\.test \(/);
});

test('a key named like the zone is pointed out', () => {
  const peer: Peer = { ...unkeyed, key: { name: zone, algorithm: 'hmac-sha256' } };
  const { message } = refusalError(reply('NOTAUTH', { status: 'unsigned', error: 17 }), zone, peer);
  expect(message).toContain('It is named like the zone');
});

test.each<[string, TsigCheck, RegExp]>([
  ['unsigned', { status: 'absent' }, /it is not signed/],
  ['forged', { status: 'forged', reason: 'its MAC is wrong' }, /its MAC is wrong/],
  ['late', { status: 'late', error: 0, timeSigned: 1 }, /compare the clocks/],
])('a yes that is %s proves nothing', (_title, tsig, message) => {
  const error = unprovenError(reply('NOERROR', tsig), zone, keyed);
  expect([error.kind, error.message]).toEqual(['auth', expect.stringMatching(message)]);
});

const name = toDnsName('_acme-challenge.www.example.test');
test.each<[Parameters<typeof inTheWayError>[0], string, RegExp]>([
  [
    { kind: 'alias', type: 'CNAME', owner: name, target: toDnsName('x.test') },
    'action-required',
    /is a CNAME to x\.test there/,
  ],
  [
    { kind: 'delegation', cut: toDnsName('www.example.test'), servers: [toDnsName('ns.x.test')] },
    'zone-not-found',
    /delegates www\.example\.test to ns\.x\.test/,
  ],
  [
    { kind: 'no-answer', rcode: 'REFUSED' },
    'permission',
    /will not say what is at _acme-challenge\.www\.example\.test \(REFUSED\)/,
  ],
  [{ kind: 'no-answer', rcode: 'SERVFAIL' }, 'unavailable', /SERVFAIL/],
  [{ kind: 'rrset', values: ['x'], ttl: 60 }, 'unavailable', /\(1 seen\)/],
])('what is in the way is named (%j)', (view, kind, message) => {
  const error = inTheWayError(view, name, zone, unkeyed);
  expect([error.kind, error.message]).toEqual([kind, expect.stringMatching(message)]);
});

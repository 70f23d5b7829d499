import { existsSync } from 'node:fs';
import {
  exchange,
  sendUpdate,
  systemTransport,
  type TsigKey,
  toDnsName,
  tsigAlgorithms,
  txtValue,
} from '@zoneproof/dns';
import {
  describeReal,
  type NameServer,
  newTsigKey,
  startBind,
  startKnot,
  startPebble,
  startPowerdns,
} from './index.ts';

const zone = toDnsName('a.test');
const name = toDnsName('_acme-challenge.a.test');
const keys = tsigAlgorithms.map((algorithm) => newTsigKey(`key-${algorithm.slice(5, 11)}`, algorithm));
const signal = new AbortController().signal;
const transport = systemTransport;

const nameServers = [
  ['bind', startBind],
  ['knot', startKnot],
  ['powerdns', startPowerdns],
] as const;

for (const [server, start] of nameServers) {
  describeReal([server], `${server} of the farm`, () => {
    test('answers with authority, takes updates under every TSIG algorithm, and leaves nothing behind', async () => {
      const running = await start({ keys, zones: [{ name: 'a.test', records: ['www A 192.0.2.1'] }] });
      try {
        expect((await ask(running, 'SOA', zone)).aa).toBe(true);
        expect((await ask(running, 'A', toDnsName('ns1.a.test'))).answers.map((r) => r.data)).toEqual(['127.0.0.1']);
        for (const key of keys) expect(await add(running, key.algorithm, key)).toBe('NOERROR');
        expect(await txt(running)).toEqual([...tsigAlgorithms].sort());
      } finally {
        await running.stop();
      }
      expect(() => process.kill(running.pid, 0)).toThrow('ESRCH');
      expect(existsSync(running.directory)).toBe(false);
    }, 30_000);

    test('refuses an update without a key, unless the zone takes it from that address', async () => {
      const running = await start({
        keys: [],
        zones: [{ name: 'a.test', updateFrom: ['127.0.0.1'] }, { name: 'b.test' }],
      });
      try {
        expect(await add(running, 'x')).toBe('NOERROR');
        expect(await txt(running)).toEqual(['x']);
        const records = [{ op: 'add', name: toDnsName('x.b.test'), ttl: 60, value: 'x' }] as const;
        const reply = await sendUpdate({ zone: toDnsName('b.test'), records }, running, {
          transport,
          signal,
          now: Date.now,
        });
        expect(['REFUSED', 'NOTAUTH']).toContain(reply.rcode);
      } finally {
        await running.stop();
      }
    }, 30_000);
  });
}

describeReal(['bind'], 'bind of the farm', () => {
  test('counts the updates it got', async () => {
    const bind = await startBind({ keys, zones: [{ name: 'a.test' }] });
    try {
      await add(bind, 'x', keys[3]);
      await add(bind, 'y', keys[3]);
      expect((await bind.statistics()).updates).toBe(2);
    } finally {
      await bind.stop();
    }
  }, 30_000);

  test('a wrong configuration is reported in its own words', async () => {
    await expect(startBind({ zones: [{ name: 'a.test', records: ['x NOSUCHTYPE y'] }] })).rejects.toThrow('NOSUCHTYPE');
  }, 30_000);

  test('a server that died is noticed when it is stopped', async () => {
    const bind = await startBind({ zones: [{ name: 'a.test' }] });
    process.kill(bind.pid, 'SIGKILL');
    await gone(bind);
    await expect(bind.stop()).rejects.toThrow('bind ended by itself (signal SIGKILL)');
  }, 30_000);
});

describeReal(['pebble', 'bind'], 'pebble of the farm', () => {
  test('serves its directory and names the root it issues under', async () => {
    const pebble = await startPebble({
      dns: '127.0.0.1:53',
      eab: { 'kid-1': 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W' },
    });
    try {
      expect(pebble.rootPem).toContain('BEGIN CERTIFICATE');
      expect(await pebble.issuingRoot()).toContain('BEGIN CERTIFICATE');
    } finally {
      await pebble.stop();
    }
    expect(existsSync(pebble.directory)).toBe(false);
  }, 30_000);
});

async function ask(server: NameServer, type: 'SOA' | 'A' | 'TXT', of: typeof zone) {
  return (await exchange({ name: of, type }, server, { transport, signal, rd: false })).message;
}

async function txt(server: NameServer): Promise<readonly string[]> {
  const { answers } = await ask(server, 'TXT', name);
  return answers.flatMap((record) => (record.type === 'TXT' ? [txtValue(record)] : [])).sort();
}

async function add(server: NameServer, value: string, key?: TsigKey): Promise<string> {
  const records = [{ op: 'add', name, ttl: 60, value }] as const;
  const reply = await sendUpdate({ zone, records }, server, { transport, signal, now: Date.now, ...(key && { key }) });
  if (key !== undefined) expect(reply.tsig).toMatchObject({ status: 'verified', error: 0 });
  return reply.rcode;
}

async function gone(server: NameServer): Promise<void> {
  for (let i = 0; i < 200 && server.running(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
}

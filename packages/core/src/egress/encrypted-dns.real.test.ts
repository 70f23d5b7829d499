import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AnyDnsServer, exchange, systemTransport, toDnsName, txtValue } from '@zoneproof/dns';
import { createLocalhostTls, describeReal, freePort, startServer, tool, zoneFile } from '@zoneproof/farm';
import { createEgress } from './index.ts';

const { signal } = new AbortController();
const address = '127.0.0.1';
const zone = { name: 'a.test', records: ['_acme-challenge TXT "seen"', ...longTxt()] };
const name = (label: string) => toDnsName(`${label}.a.test`);

describeReal(['bind'], 'BIND over TLS and HTTPS', () => {
  test('answers over a certificate that its CA has signed, also what is long, and many at once', async () => {
    const bind = await startEncryptedBind();
    const egress = createEgress({ caBundle: bind.rootPem });
    const values = async (label: string, server: AnyDnsServer) => {
      const asked = { name: name(label), type: 'TXT' } as const;
      const { message, transport } = await exchange(asked, server, { transport: egress.dns, signal, rd: true });
      return [transport, ...message.answers.flatMap((record) => (record.type === 'TXT' ? [txtValue(record)] : []))];
    };
    try {
      for (const server of bind.servers) {
        await expect(values('_acme-challenge', server)).resolves.toEqual([server.kind, 'seen']);
        await expect(values('long', server)).resolves.toHaveLength(101);
        const burst = await Promise.all(Array.from({ length: 200 }, () => values('_acme-challenge', server)));
        expect(new Set(burst.map(String))).toEqual(new Set([`${server.kind},seen`]));
      }
    } finally {
      await egress.close();
      await bind.stop();
    }
  }, 30_000);

  test('gives the letter case of a question back over UDP', async () => {
    const bind = await startEncryptedBind();
    try {
      const asked = { name: name('_acme-challenge'), type: 'TXT' } as const;
      const options = { transport: systemTransport, signal, rd: false };
      const burst = Array.from({ length: 100 }, () => exchange(asked, bind.plain, options));
      const ways = (await Promise.all(burst)).map(({ transport, udpProblem }) => [transport, udpProblem]);
      expect(new Set(ways.map(String))).toEqual(new Set(['udp,']));
    } finally {
      await bind.stop();
    }
  }, 30_000);
});

async function startEncryptedBind() {
  let rootPem = '';
  let ports: readonly number[] = [];
  const running = await startServer('bind', async (directory) => {
    const tls = await createLocalhostTls(directory);
    rootPem = tls.rootPem;
    ports = [await freePort(address), await freePort(address), await freePort(address)];
    const [plain, dot, doh] = ports;
    await writeFile(join(directory, 'a.zone'), zoneFile(zone, address));
    await writeFile(
      join(directory, 'named.conf'),
      `tls own { cert-file "${tls.certificateFile}"; key-file "${tls.keyFile}"; };
      http own { endpoints { "/dns-query"; }; };
      options {
        directory "${directory}"; pid-file none; session-keyfile "${join(directory, 'session.key')}";
        managed-keys-directory "${directory}"; recursion no; notify no; listen-on-v6 { none; };
        listen-on port ${plain} { ${address}; };
        listen-on port ${dot} tls own { ${address}; };
        listen-on port ${doh} tls own http own { ${address}; };
      };
      controls { };
      zone "a.test" { type primary; file "a.zone"; };`,
    );
    const server = { address, port: plain ?? 0 };
    return {
      command: tool('named'),
      args: ['-g', '-n', '1', '-c', join(directory, 'named.conf')],
      ready: () =>
        exchange({ name: name('_acme-challenge'), type: 'TXT' }, server, {
          transport: systemTransport,
          signal,
          rd: false,
        }),
    };
  });
  const [plain = 0, dot = 0, doh = 0] = ports;
  return {
    plain: { address, port: plain },
    servers: [
      { kind: 'tls', host: 'localhost', port: dot },
      { kind: 'tls', host: address, port: dot },
      { kind: 'https', url: `https://localhost:${doh}/dns-query` },
    ] as const,
    rootPem,
    stop: () => running.stop(),
  };
}

/** More than a datagram holds. */
function longTxt(): string[] {
  return Array.from({ length: 100 }, (_, at) => `long TXT "${String(at).padEnd(200, 'x')}"`);
}

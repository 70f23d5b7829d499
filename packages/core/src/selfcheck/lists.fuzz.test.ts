import { isIP } from 'node:net';
import { fuzz, fuzzSeconds, type Random } from '@zoneproof/farm';
import { NameserverListError, parseNameserverList } from './nameserver-list.ts';
import { parseResolvConf } from './resolv-conf.ts';

const options = { seed: 53, seconds: 1 };
const seconds = fuzzSeconds(options);

const hosts = [
  '10.0.0.1',
  '::1',
  '[::1]',
  'fe80::1%eth0',
  'ns1.example.com',
  'user:quite-secret@h',
  'b\u00fccher.example',
  '*',
];
const signs = ['tls://', 'https://', 'http://', '/dns-query', '{?dns}', ':53', ':', ',', '[', ']', '@', '%', '?', '#'];

test(
  'a list of name servers is read or refused by NameserverListError, each entry fit to be asked',
  async () => {
    const inputs = await fuzz({ ...options, what: 'lists of name servers' }, (random) => {
      const list = listOf(random);
      try {
        for (const entry of parseNameserverList(list)) {
          if (entry.kind === 'https') {
            const { href, pathname, username, search } = new URL(entry.url);
            if (href !== entry.url || pathname === '/' || username !== '' || search !== '') throw unfit(list);
          } else if (entry.host === '' || !(entry.port >= 1 && entry.port <= 65_535)) throw unfit(list);
        }
      } catch (error) {
        if (!(error instanceof NameserverListError)) throw error;
        // One line a problem, however long the entry is, and never a password.
        if (error.problems.some((problem) => problem.length >= 800 || problem.includes('quite-secret')))
          throw unfit(list);
      }
    });
    expect(inputs).toBeGreaterThan(seconds * 100);
  },
  seconds * 1000 + 30_000,
);

test(
  'any resolver file gives at most three addresses, and a problem when it gives none',
  async () => {
    const inputs = await fuzz({ ...options, what: 'resolver files' }, (random) => {
      const content = Array.from({ length: random(13) }, () => lineOf(random)).join('\n');
      const { servers, problem } = parseResolvConf(content);
      if (servers.length > 3 || servers.some(({ address, port }) => isIP(address) === 0 || port !== 53))
        throw unfit(content);
      if (servers.length === 0 && (problem === undefined || problem.length >= 1000)) throw unfit(content);
    });
    expect(inputs).toBeGreaterThan(seconds * 100);
  },
  seconds * 1000 + 30_000,
);

function listOf(random: Random): string {
  // Long ones, for patterns that would go back and forth in them.
  if (random(20) === 0) return piece(random).repeat(random(3000));
  return Array.from({ length: random(9) }, () => piece(random)).join('');
}

function piece(random: Random): string {
  switch (random(3)) {
    case 0:
      return pick(random, hosts);
    case 1:
      return pick(random, signs);
    default:
      return anyText(random, 6);
  }
}

function lineOf(random: Random): string {
  if (random(2) === 0) return anyText(random, 20);
  const words = ['nameserver', 'Nameserver', 'options', '#', ';'];
  return pick(random, words) + pick(random, [' ', '\t', '']) + pick(random, hosts);
}

function anyText(random: Random, most: number): string {
  return String.fromCodePoint(
    ...Array.from({ length: random(most + 1) }, () => (random(2) === 0 ? random(128) : random(0xd800))),
  );
}

function pick(random: Random, from: readonly string[]): string {
  return from[random(from.length)] as string;
}

function unfit(input: string): Error {
  return new Error(`reading ${JSON.stringify(input.slice(0, 500))}`);
}

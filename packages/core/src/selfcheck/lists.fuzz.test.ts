import { isIP } from 'node:net';
import fc from 'fast-check';
import { NameserverListError, parseNameserverList } from './nameserver-list.ts';
import { parseResolvConf } from './resolv-conf.ts';

const seconds = Number(process.env.ZONEPROOF_SOAK_SECONDS ?? 1);
const seed = Number(process.env.ZONEPROOF_SOAK_SEED ?? 53);
/** One text may take this long on a busy machine. */
const maxMs = 1000;

const host = fc.constantFrom(
  '10.0.0.1',
  '::1',
  '[::1]',
  'fe80::1%eth0',
  'ns1.example.com',
  'u:p@h',
  'b\u00fccher.example',
  '*',
);
const piece = fc.oneof(
  host,
  fc.constantFrom(
    'tls://',
    'https://',
    'http://',
    '/dns-query',
    '{?dns}',
    ':53',
    ':',
    ',',
    '[',
    ']',
    '@',
    '%',
    '?',
    '#',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const text = fc.oneof(
  { weight: 20, arbitrary: fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')) },
  // Long ones, for patterns that would go back and forth in them.
  fc.tuple(piece, fc.integer({ min: 0, max: 3000 })).map(([one, times]) => one.repeat(times)),
);

fuzz('a list of name servers is read or refused by NameserverListError, each entry fit to be asked', text, (list) => {
  try {
    for (const entry of parseNameserverList(list)) {
      if (entry.kind === 'https') {
        const { href, pathname, username, search } = new URL(entry.url);
        if (href !== entry.url || pathname === '/' || username !== '' || search !== '') return false;
      } else if (entry.host === '' || !(entry.port >= 1 && entry.port <= 65_535)) return false;
    }
    return true;
  } catch (error) {
    if (!(error instanceof NameserverListError)) throw error;
    // One line a problem, however long the entry is, and never a password.
    return error.problems.every((problem) => problem.length < 800 && !problem.includes('u:p'));
  }
});

const line = fc.oneof(
  fc
    .tuple(fc.constantFrom('nameserver', 'Nameserver', 'options', '#', ';'), fc.constantFrom(' ', '\t', ''), host)
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const file = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));

fuzz('any resolver file gives at most three addresses, and a problem when it gives none', file, (content) => {
  const { servers, problem } = parseResolvConf(content);
  if (servers.length > 3 || servers.some(({ address, port }) => isIP(address) === 0 || port !== 53)) return false;
  return servers.length > 0 || (problem !== undefined && problem.length < 1000);
});

function fuzz<T>(title: string, arbitrary: fc.Arbitrary<T>, holds: (input: T) => boolean): void {
  test(
    title,
    () => {
      let inputs = 0;
      const property = fc.property(arbitrary, (input) => {
        inputs += 1;
        const startedAt = performance.now();
        return holds(input) && performance.now() - startedAt < maxMs;
      });
      const limits = { interruptAfterTimeLimit: seconds * 1000, markInterruptAsFailure: false };
      fc.assert(property, { seed, numRuns: Number.MAX_SAFE_INTEGER, ...limits });
      expect(inputs).toBeGreaterThan(seconds * 100);
      if (process.env.ZONEPROOF_SOAK_SECONDS !== undefined) console.info(`${inputs} inputs, seed ${seed}`);
    },
    seconds * 1000 + 30_000,
  );
}

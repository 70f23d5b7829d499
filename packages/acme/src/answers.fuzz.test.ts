import { beforeAll, expect, test } from '@jest/globals';
import {
  type AcmeClient,
  AcmeProblem,
  AcmeProtocolError,
  AcmeUnavailableError,
  CertificateMismatchError,
  certificateFacts,
  createAcmeClient,
  createCertificateKey,
  createCsr,
  generateAccountKey,
  type HttpAnswer,
} from '@zoneproof/acme';
import { fuzz, fuzzSeconds, hostileJson, hostileText, type Random } from '@zoneproof/farm';
import { parseDirectory } from './directory.ts';
import { parseLinks } from './link.ts';
import { pemCertificates } from './pem.ts';
import { parseProblem } from './problem.ts';
import { parseAccountStatus, parseAuthorization, parseOrder } from './resources.ts';
import { parseRetryAfter } from './retry-after.ts';
import { issueChain } from './testing/issue.ts';

const seconds = fuzzSeconds({ seconds: 1 });
const options = { seed: 8555, seconds: 1 };
const base = 'https://ca.example';
const { signal } = new AbortController();
let chain = '';

beforeAll(async () => {
  const csrDer = await createCsr(['example.com'], await createCertificateKey({ algorithm: 'ECDSA' }));
  chain = (await issueChain({ csrDer })).pemChain;
});

const problem = {
  type: 'urn:ietf:params:acme:error:compound',
  detail: 'Some names were refused',
  status: 403,
  instance: `${base}/doc`,
  subproblems: [
    { type: 'urn:ietf:params:acme:error:caa', detail: 'CAA', identifier: { type: 'dns', value: 'example.com' } },
  ],
};
const directory = {
  newNonce: `${base}/nonce`,
  newAccount: `${base}/account`,
  newOrder: `${base}/order`,
  renewalInfo: `${base}/ari`,
  meta: { termsOfService: `${base}/terms`, caaIdentities: ['ca.example'], profiles: { classic: 'The usual' } },
};
const order = {
  status: 'pending',
  expires: '2030-01-01T00:00:00Z',
  identifiers: [{ type: 'dns', value: 'example.com' }],
  authorizations: [`${base}/authz/1`],
  finalize: `${base}/finalize/1`,
  certificate: `${base}/cert/1`,
  error: problem,
};
const authorization = {
  status: 'pending',
  expires: '2030-01-01T00:00:00Z',
  identifier: { type: 'dns', value: 'example.com' },
  wildcard: true,
  challenges: [{ type: 'dns-01', url: `${base}/chall/1`, status: 'pending', token: 'abc_-', error: problem }],
};

test(
  'any JSON for a resource gives the resource or AcmeProtocolError; a problem is one line of bounded length',
  async () => {
    let read = 0;
    const inputs = await fuzz({ ...options, what: 'ACME resources' }, (random) => {
      const parse = [
        (body: unknown) => parseOrder(body, base, undefined),
        (body: unknown) => parseAuthorization(body, base, undefined),
        (body: unknown) => parseDirectory(body, base),
        (body: unknown) => parseAccountStatus(body, base),
        (body: unknown) => parseProblem(body, random(2) === 0 ? undefined : random(700)),
      ];
      const which = random(parse.length);
      const body = hostileJson([order, authorization, directory, { status: 'valid' }, problem][which], random);
      try {
        const seen = parse[which]?.(body);
        if (which === 4) heedProblem(seen as ReturnType<typeof parseProblem>);
        read++;
      } catch (error) {
        if (!(error instanceof AcmeProtocolError)) throw error;
        heedText(error.message);
      }
    });
    expect(read).toBeGreaterThan(inputs / 10);
  },
  seconds * 1000 + 30_000,
);

test(
  'any headers and chains are read in bounded time',
  async () => {
    let [links, times, chains] = [0, 0, 0];
    const now = Date.parse('2026-12-01T00:00:00Z');
    await fuzz({ ...options, what: 'ACME headers and chains' }, (random) => {
      const link = hostileText(`<${base}/terms>;rel="terms-of-service", <${base}/a>; rel=alternate;x="a,b"`, random);
      for (const { target, relations } of parseLinks([link])) {
        links++;
        if (target.length > link.length || relations.length === 0) throw new Error(`link ${JSON.stringify(link)}`);
      }
      const dates = ['120', 'Tue, 01 Dec 2026 00:01:00 GMT', 'Tuesday, 01-Dec-26 00:01:00 GMT'];
      const value = hostileText(dates[random(dates.length)] as string, random);
      const afterMs = parseRetryAfter(value, now);
      if (afterMs !== undefined) {
        times++;
        if (!(afterMs >= 0 && afterMs <= 30 * 24 * 3600_000)) throw new Error(`Retry-After ${JSON.stringify(value)}`);
      }
      if (random(10) > 0) return;
      const pem = hostileText(chain, random);
      const blocks = pemCertificates(pem) ?? [];
      if (blocks.length > 2 * pem.length) throw new Error('more blocks than text');
      try {
        if (certificateFacts(pem).chainLength > 0) chains++;
      } catch (error) {
        if (!(error instanceof CertificateMismatchError)) throw error;
        heedText(error.message);
      }
    });
    expect(Math.min(links, times, chains)).toBeGreaterThan(0);
  },
  seconds * 1000 + 30_000,
);

test(
  "whatever a CA answers, each of the client's calls ends in a result or in one of its errors",
  async () => {
    const { key } = await generateAccountKey();
    let [results, given] = [0, 0];
    await fuzz({ ...options, what: 'answers of a CA' }, async (random) => {
      let answers = 0;
      const client = createAcmeClient({
        directoryUrl: `${base}/directory`,
        key,
        accountUrl: `${base}/acct/1`,
        wait: async () => undefined,
        async http({ url }) {
          answers++;
          if (answers > 200) throw new Error('it does not stop asking');
          return random(3) === 0 ? hostileAnswer(url, random) : rightAnswer(url);
        },
      });
      try {
        await callOf(client, random);
        results++;
      } catch (error) {
        const known = [AcmeProblem, AcmeProtocolError, AcmeUnavailableError].some((one) => error instanceof one);
        if (!known) throw error;
        heedText((error as Error).message);
      }
      given += answers;
    });
    expect(results).toBeGreaterThan(0);
    expect(given).toBeGreaterThan(results);
  },
  seconds * 1000 + 30_000,
);

function callOf(client: AcmeClient, random: Random): Promise<unknown> {
  switch (random(7)) {
    case 0:
      return client.ensureAccount({ termsOfServiceAgreed: true }, signal);
    case 1:
      return client.newOrder({ names: ['example.com'] }, signal);
    case 2:
      return client.order(`${base}/order/1`, signal);
    case 3:
      return client.authorization(`${base}/authz/1`, signal);
    case 4:
      return client.respond(`${base}/chall/1`, signal);
    case 5:
      return client.finalize(`${base}/finalize/1`, Buffer.from('csr'), signal);
    default:
      return client.certificate(`${base}/cert/1`, signal);
  }
}

function rightAnswer(url: string): HttpAnswer {
  const headers = { 'replay-nonce': 'nonce', 'content-type': 'application/json', location: `${base}/acct/1` };
  const json = (body: unknown, status = 200) => ({ status, headers, body: Buffer.from(JSON.stringify(body)) });
  const path = url.slice(base.length);
  if (path.startsWith('/directory')) return json(directory);
  if (path.startsWith('/nonce')) return json('');
  if (path.startsWith('/acc')) return json({ status: 'valid' }, 201);
  if (path.startsWith('/authz')) return json(authorization);
  if (path.startsWith('/cert'))
    return { ...json(''), headers: { ...headers, link: `<${base}/alt>;rel="alternate"` }, body: Buffer.from(chain) };
  return json(order, path === '/order' ? 201 : 200);
}

function hostileAnswer(url: string, random: Random): HttpAnswer {
  const { status, headers, body } = rightAnswer(url);
  const asProblem = random(3) === 0;
  const json = (value: unknown) => Buffer.from(JSON.stringify(hostileJson(value, random)) ?? '');
  const changed: Record<string, string | readonly string[]> = { ...headers };
  if (asProblem) changed['content-type'] = 'application/problem+json';
  const more = ['content-type', 'replay-nonce', 'location', 'link', 'retry-after'][random(8)];
  const seen = more === undefined ? '' : (headers as Record<string, string>)[more];
  if (more !== undefined) changed[more] = random(8) === 0 ? ['a', 'b'] : hostileText(seen ?? '120', random);
  const statuses = [200, 201, 204, 301, 400, 401, 403, 404, 405, 409, 429, 500, 503];
  return {
    status: asProblem || random(3) === 0 ? (statuses[random(statuses.length)] as number) : status,
    headers: changed,
    body: asProblem
      ? json(random(4) === 0 ? { type: 'urn:ietf:params:acme:error:badNonce' } : problem)
      : random(2) === 0
        ? Buffer.from(hostileText(Buffer.from(body).toString('latin1'), random), 'latin1')
        : json(JSON.parse(body.length > 0 && body[0] === 0x7b ? Buffer.from(body).toString() : '{}')),
  };
}

function heedProblem({ type, detail, subproblems }: ReturnType<typeof parseProblem>): void {
  for (const text of [type, detail, ...subproblems.map((one) => one.detail)]) heedText(text, 1024);
  if (subproblems.length > 200) throw new Error('too many subproblems');
}

/** Fit for a terminal and a condition. */
function heedText(text: string, most = 20_000): void {
  if (text.length > most || /[\p{Cc}\u2028\u2029]/u.test(text))
    throw new Error(`told as ${JSON.stringify(text.slice(0, 300))}`);
}

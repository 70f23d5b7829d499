import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { createSelfCheck, type Egress, EgressError, LocateError, type SelfCheck, systemRandom } from '@zoneproof/core';
import { child, type DnsName, DnsNameError, toDnsName } from '@zoneproof/dns';
import { type AcmednsAccount, accountIn, addAccount, assertWritable, readDocument } from './acmedns-document.ts';
import { type CommandContext, CommandError, UsageError } from './context.ts';
import type { AcmednsRegisterReport } from './output/schemas.ts';
import { resolversOf } from './resolvers-option.ts';
import { untilStopped } from './signals.ts';
import { openEgress } from './standalone.ts';
import { printable } from './terminal/style.ts';

interface Options {
  readonly domain: readonly string[];
  readonly allowFrom?: readonly string[];
  readonly out: string;
  readonly json: boolean;
  readonly dns01SelfCheckNameservers?: string;
}

type Row = AcmednsRegisterReport['records'][number];

const checkTimeoutMs = 15_000;

/**
 * `zoneproof acmedns register`: an account of its own for each domain that has none in the document yet (an acme-dns
 * account holds two values: those of the domain and its wildcard), then the CNAMEs to create and how they stand.
 * 0 when every domain has an account; missing CNAMEs are expected then and no failure.
 */
export async function acmednsRegister(url: string, options: Options, context: CommandContext): Promise<number> {
  const server = readServer(url);
  const domains = [...new Set(options.domain.flatMap((text) => text.split(',')).map(readDomain))];
  const allowFrom = (options.allowFrom ?? []).flatMap((text) => text.split(',')).map(readRange);
  const resolvers = resolversOf(options.dns01SelfCheckNameservers);
  const file = resolve(options.out);
  await assertWritable(dirname(file));
  const document = await readDocument(file);

  const egress = openEgress(context);
  const stopping = untilStopped(context.inputs.signal);
  try {
    const selfCheck = createSelfCheck({ resolvers, transport: egress.dns, clock: context.clock, random: systemRandom });
    const records: Row[] = [];
    for (const domain of domains) {
      const known = accountIn(document, domain);
      const account = known ?? (await register(server, allowFrom, egress, stopping.signal));
      if (known === undefined) await addAccount(file, domain, account as AcmednsAccount);
      const name = child('_acme-challenge', domain);
      const target = toDnsName(account.fulldomain);
      const seen = await checkCname(name, target, selfCheck, stopping.signal);
      records.push({ domain, name, target, account: known === undefined ? 'registered' : 'kept', ...seen });
    }
    const registered = records.some(({ account }) => account === 'registered');
    const report: AcmednsRegisterReport = {
      server,
      file,
      records,
      warnings: warningsOf(server, allowFrom, registered),
    };
    context.out.write(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : showReport(report, context));
    return 0;
  } finally {
    stopping.release();
    await egress.close();
  }
}

async function register(
  server: string,
  allowFrom: readonly string[],
  egress: Egress,
  signal: AbortSignal,
): Promise<AcmednsAccount> {
  let answer: Awaited<ReturnType<Egress['http']>>;
  try {
    answer = await egress.http({
      method: 'POST',
      url: `${server}/register`,
      headers: { 'content-type': 'application/json' },
      ...(allowFrom.length > 0 && { body: JSON.stringify({ allowfrom: allowFrom }) }),
      signal,
      maxBytes: 65_536,
    });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new CommandError(`${server} could not be asked for an account: ${error.message}`);
  }
  const text = Buffer.from(answer.body).toString('utf8');
  if (answer.status === 404)
    throw new CommandError(
      `${server} takes no registrations (404). Is this its base URL? Its operator may have set disable_registration.`,
    );
  if (answer.status < 200 || answer.status > 299) {
    const [, code = ''] = /"error"\s*:\s*"([a-z_]{1,60})"/.exec(text) ?? [];
    throw new CommandError(
      `${server} refused the registration (HTTP ${answer.status}${code === '' ? '' : `, ${code}`}).`,
    );
  }
  const account = parseAccount(text);
  if (account === undefined)
    throw new CommandError(
      `${server} answered with something that is no account. Is this the base URL of an acme-dns server?`,
    );
  return account;
}

function parseAccount(text: string): AcmednsAccount | undefined {
  try {
    const { username, password, fulldomain, subdomain, allowfrom } = JSON.parse(text) as Record<string, unknown>;
    if (![username, password, fulldomain, subdomain].every((member) => typeof member === 'string' && member !== ''))
      return undefined;
    toDnsName(fulldomain as string);
    const ranges = Array.isArray(allowfrom) ? (allowfrom as string[]) : [];
    return { username, password, fulldomain, subdomain, allowfrom: ranges } as AcmednsAccount;
  } catch {
    return undefined;
  }
}

/** Asks the authoritative servers: a resolver asked too early would remember that there is nothing. */
async function checkCname(
  name: DnsName,
  target: DnsName,
  selfCheck: SelfCheck,
  signal: AbortSignal,
): Promise<Pick<Row, 'cname' | 'detail'>> {
  try {
    const location = await selfCheck.locate(name, AbortSignal.any([signal, AbortSignal.timeout(checkTimeoutMs)]));
    if (location.chain.includes(target)) return { cname: 'ok', detail: `${name} leads to ${target}.` };
    const found = location.chain[1];
    return found === undefined
      ? { cname: 'missing', detail: `the servers of ${location.zone} have no CNAME at ${name} yet.` }
      : { cname: 'wrong', detail: `${name} leads to ${location.target}; change it to ${target}.` };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof LocateError) return { cname: 'unknown', detail: printable(error.message) };
    return { cname: 'unknown', detail: `no answer about ${name} within ${checkTimeoutMs / 1000} s.` };
  }
}

function showReport({ server, file, records, warnings }: AcmednsRegisterReport, { style }: CommandContext): string {
  const marks = {
    ok: style.green('ok'),
    missing: style.yellow('to be created'),
    wrong: style.red('wrong'),
    unknown: style.yellow('not checked'),
  };
  const registered = records.filter(({ account }) => account === 'registered').length;
  let text = `${registered} registered at ${server}, ${records.length - registered} kept. Credentials: ${file}\n`;
  text += '\nCNAME records of your zones:\n\n';
  for (const { name, target, cname, detail } of records)
    text += `  ${name}. CNAME ${target}.\n      ${marks[cname]}: ${detail}\n`;
  if (records.some(({ cname }) => cname !== 'ok'))
    text += '\nAfter creating them, run the same command again: it keeps the accounts and checks.\n';
  for (const warning of warnings) text += `\n${style.yellow('warning')}: ${warning}\n`;
  return text;
}

function warningsOf(server: string, allowFrom: readonly string[], registered: boolean): string[] {
  const warnings: string[] = [];
  if (new URL(server).hostname === 'auth.acme-dns.io')
    warnings.push(
      'auth.acme-dns.io is a public server: whoever runs it can obtain certificates for these domains. Run one of your own for anything that matters.',
    );
  if (new URL(server).protocol === 'http:')
    warnings.push(
      'the server is spoken to without TLS: anyone on the way can read the password and update the records.',
    );
  if (registered && allowFrom.length === 0)
    warnings.push(
      'without --allow-from any address may update these records with the password. It cannot be set later, only by registering again.',
    );
  return warnings;
}

function readServer(text: string): string {
  if (!URL.canParse(text))
    throw new UsageError(`"${text}" is not a URL; write the base URL, like https://auth.example.com.`);
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new UsageError(`${text} is neither https nor http.`);
  if (url.search !== '' || url.hash !== '') throw new UsageError(`${text} has a query; write the base URL alone.`);
  return url.href.replace(/\/(?:register\/?)?$/, '');
}

function readDomain(text: string): DnsName {
  try {
    const name = toDnsName(text.replace(/^\*\./, '').replace(/^_acme-challenge\./, ''));
    if (name === '') throw new DnsNameError(text, 'it is empty');
    return name;
  } catch (error) {
    if (!(error instanceof DnsNameError)) throw error;
    throw new UsageError(`--domain: ${error.message}.`);
  }
}

function readRange(text: string): string {
  const [address = '', prefix] = text.split('/');
  const version = isIP(address);
  if (version === 0)
    throw new UsageError(`--allow-from: "${text}" is not an address range; write it like 192.0.2.0/24.`);
  const most = version === 4 ? 32 : 128;
  if (prefix === undefined) return `${address}/${most}`;
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > most)
    throw new UsageError(`--allow-from: "${text}" has no prefix length from 0 to ${most}.`);
  return text;
}

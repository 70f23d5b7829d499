import { createHash } from 'node:crypto';
import { type DnsName, type DnsServer, type DnsTransport, exchange, toDnsName, txtValue } from '@zoneproof/dns';
import { Problem } from './problem.ts';

/** Looks for the key authorization (RFC 8555 8.4). Never rejects: a failure is the Problem it returns. */
export type Validate = (
  type: 'dns-01' | 'http-01',
  name: DnsName,
  keyAuthorization: string,
) => Promise<Problem | undefined>;

/** What the CA sees of the DNS: each resolver is a perspective, and all of them have to find the value. */
export interface ValidationDns {
  readonly resolvers: readonly DnsServer[];
  readonly transport: DnsTransport;
}

export function createValidate(dns: ValidationDns, signal: AbortSignal): Validate {
  return async (type, name, keyAuthorization) => {
    if (type !== 'dns-01')
      return new Problem('connection', `${type} is offered but cannot be validated here: use dns-01`);
    try {
      const owner = toDnsName(`_acme-challenge.${name}`);
      const wanted = createHash('sha256').update(keyAuthorization).digest('base64url');
      for (const values of await Promise.all(
        dns.resolvers.map((server) => lookUpTxt(owner, server, dns.transport, signal)),
      )) {
        if (values.length === 0) return new Problem('unauthorized', `no TXT record found at ${owner}`);
        if (!values.includes(wanted))
          return new Problem(
            'unauthorized',
            `incorrect TXT record ${JSON.stringify(values[0])} (and ${values.length - 1} more) found at ${owner}`,
          );
      }
      return undefined;
    } catch (error) {
      return error instanceof Problem
        ? error
        : new Problem('dns', `DNS problem: ${error instanceof Error ? error.message : 'lookup failed'}`);
    }
  };
}

async function lookUpTxt(
  owner: DnsName,
  server: DnsServer,
  transport: DnsTransport,
  signal: AbortSignal,
): Promise<string[]> {
  // A server that answers for one zone only stops at a CNAME out of it; then the target is asked for. 10 as Let's Encrypt.
  let name = owner;
  for (let step = 0; step < 10; step++) {
    const { message } = await exchange({ name, type: 'TXT' }, server, { transport, signal, rd: true });
    if (message.rcode === 'NXDOMAIN') throw new Problem('dns', `DNS problem: NXDOMAIN looking up TXT for ${name}`);
    if (message.rcode !== 'NOERROR')
      throw new Problem('dns', `DNS problem: ${message.rcode} looking up TXT for ${name}`);
    let target = name;
    for (const record of message.answers)
      if (record.type === 'CNAME' && record.name === target) target = toDnsName(record.data);
    const values = message.answers.flatMap((record) =>
      record.type === 'TXT' && record.name === target ? [txtValue(record)] : [],
    );
    if (values.length > 0 || target === name) return values;
    name = target;
  }
  throw new Problem('dns', `DNS problem: too many CNAMEs from ${owner}`);
}

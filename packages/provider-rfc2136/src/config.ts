import {
  type AdmissionRule,
  type ConfigProblem,
  type ReadSecret,
  type Static,
  secretRef,
  serverAdmission,
  Type,
} from '@zoneproof/core';
import { DnsNameError, type DnsServer, parseServer, toDnsName } from '@zoneproof/dns';
import { algorithmProblem, defaultAlgorithm, findAlgorithm, isWeak } from './algorithm.ts';
import { decodeTsigSecret, TsigSecretError } from './tsig-key.ts';

/** Fields of the block `rfc2136`. */
export const schema = Type.Object(
  {
    nameserver: Type.String({
      minLength: 2,
      maxLength: 64,
      description:
        'Server that receives the updates: an IP address with an optional port (default 53). IPv6 with a port is written in brackets.',
      examples: ['192.0.2.53', '192.0.2.53:5353', '2001:db8::53', '[2001:db8::53]:5353'],
    }),
    tsigKeyName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 254,
        description:
          'Name of the TSIG key, as the server knows it. Left out together with tsigSecretSecretRef where the server goes by address.',
        examples: ['acme-update'],
      }),
    ),
    tsigAlgorithm: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 32,
        default: defaultAlgorithm,
        description:
          'HMACMD5, HMACSHA1, HMACSHA224, HMACSHA256, HMACSHA384 or HMACSHA512; the spellings of RFC 8945 (hmac-sha256) are accepted, in any case.',
        examples: ['HMACSHA256', 'hmac-sha512'],
      }),
    ),
    tsigSecretSecretRef: Type.Optional(secretRef('the TSIG secret in base64, as tsig-keygen prints it')),
  },
  {
    additionalProperties: false,
    description: 'Any DNS server that takes dynamic updates (RFC 2136), signed with TSIG (RFC 8945).',
  },
);

export type Rfc2136Config = Static<typeof schema>;

/** What the schema cannot say. Pure. */
export function configProblems(config: Rfc2136Config): readonly ConfigProblem[] {
  return [...serverProblems(config), ...keyProblems(config), ...algorithmProblems(config)];
}

const oneKey =
  'a TSIG key needs tsigKeyName and tsigSecretSecretRef; leave out all three TSIG fields where the server goes by address';

/** What of it CEL can say. */
export const admission: readonly AdmissionRule[] = [
  serverAdmission('nameserver', 'required'),
  { rule: 'has(self.tsigKeyName) == has(self.tsigSecretSecretRef)', message: oneKey },
  {
    path: 'tsigAlgorithm',
    // An API server fills in the default.
    rule: `!has(self.tsigAlgorithm) || self.tsigAlgorithm == '${defaultAlgorithm}' || has(self.tsigKeyName) || has(self.tsigSecretSecretRef)`,
    message: oneKey,
  },
  {
    path: 'tsigAlgorithm',
    rule: String.raw`!has(self.tsigAlgorithm) || self.tsigAlgorithm.matches(r'^(?i)hmac-?(md5|sha1|sha224|sha256|sha384|sha512|md5\.sig-alg\.reg\.int)\.?$')`,
    message:
      'no TSIG algorithm; take one of HMACMD5, HMACSHA1, HMACSHA224, HMACSHA256, HMACSHA384, HMACSHA512 (or hmac-sha256 and the like)',
  },
];

/** What is wrong with the contents of the Secret. Pure; never repeats any of it. */
export function secretProblems(config: Rfc2136Config, read: ReadSecret): readonly ConfigProblem[] {
  const ref = config.tsigSecretSecretRef;
  const value = ref && read(ref);
  if (!ref || !value) return [];
  try {
    decodeTsigSecret(value);
    return [];
  } catch (error) {
    if (!(error instanceof TsigSecretError)) throw error;
    const message = `entry "${ref.key}" of Secret "${ref.name}" ${error.message}`;
    return [{ path: 'tsigSecretSecretRef', message, severity: 'error' }];
  }
}

/** @throws Error when `nameserver` is no address; {@link configProblems} tells beforehand */
export function serverOf(config: Rfc2136Config): DnsServer {
  return parseServer(config.nameserver);
}

function serverProblems(config: Rfc2136Config): readonly ConfigProblem[] {
  try {
    serverOf(config);
    return [];
  } catch (error) {
    return [{ path: 'nameserver', message: (error as Error).message, severity: 'error' }];
  }
}

function keyProblems(config: Rfc2136Config): readonly ConfigProblem[] {
  const { tsigKeyName, tsigAlgorithm, tsigSecretSecretRef } = config;
  const problems: ConfigProblem[] = [];
  const missing = (path: string, given: string): ConfigProblem => ({
    path,
    message: `missing: ${given} is given. A TSIG key needs tsigKeyName and tsigSecretSecretRef; leave out all three TSIG fields where the server goes by address.`,
    severity: 'error',
  });
  if (tsigKeyName === undefined && tsigSecretSecretRef) problems.push(missing('tsigKeyName', 'tsigSecretSecretRef'));
  if (!tsigSecretSecretRef && tsigKeyName !== undefined) problems.push(missing('tsigSecretSecretRef', 'tsigKeyName'));
  // The default alone is no sign of a key: an API server fills it in.
  const chosen = tsigAlgorithm !== undefined && findAlgorithm(tsigAlgorithm) !== findAlgorithm(defaultAlgorithm);
  if (chosen && tsigKeyName === undefined && !tsigSecretSecretRef)
    problems.push(missing('tsigKeyName', 'tsigAlgorithm'), missing('tsigSecretSecretRef', 'tsigAlgorithm'));
  if (tsigKeyName !== undefined) {
    try {
      if (toDnsName(tsigKeyName) === '') throw new DnsNameError(tsigKeyName, 'it is empty');
    } catch (error) {
      problems.push({ path: 'tsigKeyName', message: (error as Error).message, severity: 'error' });
    }
  }
  return problems;
}

function algorithmProblems({ tsigAlgorithm }: Rfc2136Config): readonly ConfigProblem[] {
  if (tsigAlgorithm === undefined) return [];
  const algorithm = findAlgorithm(tsigAlgorithm);
  if (!algorithm) return [{ path: 'tsigAlgorithm', message: algorithmProblem(tsigAlgorithm), severity: 'error' }];
  if (!isWeak(algorithm)) return [];
  const message = `${tsigAlgorithm} is weak: RFC 8945 section 6 advises against it. Make a new key with HMACSHA256.`;
  return [{ path: 'tsigAlgorithm', message, severity: 'warning' }];
}

import { checkBundle } from '../egress/trust.ts';
import type { ConfigProblem } from './plugin.ts';
import { type TObject, type TString, Type } from './type.ts';

/**
 * A `{name, key}` reference to one entry of a Secret (the specification's secret reference).
 * `usedFor` completes "entry holds ...".
 */
export function secretRef(
  usedFor: string,
): TObject<{ name: ReturnType<typeof Type.String>; key: ReturnType<typeof Type.String> }> {
  return Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 253, description: 'Name of the Secret.' }),
      key: Type.String({ minLength: 1, maxLength: 253, description: 'Entry within the Secret.' }),
    },
    { additionalProperties: false, description: `Reference to a Secret; the entry holds ${usedFor}.` },
  );
}

/** The optional field `endpoint`: the base URL that takes the place of the vendor's own. */
export function endpointField(vendorsOwn: string): TString {
  return Type.String({
    minLength: 9,
    maxLength: 2048,
    description: `Base URL of the API, for sovereign and private endpoints. Left out: ${vendorsOwn}.`,
    examples: ['https://dns.example.net'],
  });
}

/** The optional field `caBundle`. */
export function caBundleField(): TString {
  return Type.String({
    minLength: 1,
    maxLength: 65_536,
    description: 'Certificates (PEM) to trust at this API instead of those of the system.',
  });
}

/** What is wrong with the values of `endpoint` and `caBundle`. Pure. */
export function endpointProblems(config: {
  readonly endpoint?: string;
  readonly caBundle?: string;
}): readonly ConfigProblem[] {
  return [...urlProblems(config.endpoint), ...bundleProblems(config.caBundle)];
}

function urlProblems(endpoint: string | undefined): readonly ConfigProblem[] {
  if (endpoint === undefined) return [];
  const problem = (message: string): ConfigProblem[] => [{ path: 'endpoint', message, severity: 'error' }];
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || url.protocol !== 'https:')
    return problem('not a URL that starts with https://; credentials are sent to it');
  if (url.username !== '' || url.password !== '')
    return problem('carries a user name or password; credentials belong into a Secret');
  if (url.search !== '' || url.hash !== '') return problem('a base URL has neither "?" nor "#"');
  return [];
}

function bundleProblems(caBundle: string | undefined): readonly ConfigProblem[] {
  try {
    if (caBundle !== undefined) checkBundle(caBundle);
    return [];
  } catch (error) {
    return [{ path: 'caBundle', message: (error as Error).message.replace(/^caBundle:? /, ''), severity: 'error' }];
  }
}

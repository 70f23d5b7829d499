import { AcmeProtocolError } from './errors.ts';
import { asObject, asString, asStrings } from './json.ts';
import { isUrl } from './link.ts';
import { oneLine } from './problem.ts';

/** What the CA offers and where (RFC 8555 7.1.1). Unknown members are left out. */
export interface Directory {
  readonly newNonce: string;
  readonly newAccount: string;
  readonly newOrder: string;
  readonly newAuthz?: string;
  readonly revokeCert?: string;
  readonly keyChange?: string;
  /** ACME Renewal Information (RFC 9773). */
  readonly renewalInfo?: string;
  readonly meta: {
    readonly termsOfService?: string;
    readonly website?: string;
    /** Names that a CAA record has to hold for this CA. */
    readonly caaIdentities: readonly string[];
    readonly externalAccountRequired: boolean;
    /** Profile name to its description (draft-ietf-acme-profiles). */
    readonly profiles: Readonly<Record<string, string>>;
  };
}

/** @throws AcmeProtocolError when a member is missing that no ACME CA can do without */
export function parseDirectory(body: unknown, url: string): Directory {
  const document = asObject(body);
  const [newNonce, newAccount, newOrder] = ['newNonce', 'newAccount', 'newOrder'].map((name) =>
    asString(document?.[name]),
  );
  if (!document || newNonce === undefined || newAccount === undefined || newOrder === undefined) {
    throw new AcmeProtocolError(
      url,
      `${url} is no ACME directory: newNonce, newAccount or newOrder is missing. Check the server URL of the Issuer.`,
    );
  }
  const meta = asObject(document.meta) ?? {};
  return {
    newNonce,
    newAccount,
    newOrder,
    ...optional('newAuthz', document.newAuthz),
    ...optional('revokeCert', document.revokeCert),
    ...optional('keyChange', document.keyChange),
    ...optional('renewalInfo', document.renewalInfo),
    meta: {
      ...optionalUrl('termsOfService', meta.termsOfService),
      ...optionalUrl('website', meta.website),
      caaIdentities: (asStrings(meta.caaIdentities) ?? []).slice(0, maxListed).map((name) => oneLine(name)),
      externalAccountRequired: meta.externalAccountRequired === true,
      profiles: Object.fromEntries(
        Object.entries(asObject(meta.profiles) ?? {})
          .slice(0, maxListed)
          .map(([name, text]) => [oneLine(name), oneLine(asString(text) ?? '')]),
      ),
    },
  };
}

/** Names and profiles of a CA: a few. */
const maxListed = 100;

/** It is shown to people, and kept. */
function optionalUrl<Name extends string>(name: Name, value: unknown): { readonly [N in Name]?: string } {
  return typeof value === 'string' && isUrl(value) ? optional(name, value) : {};
}

function optional<Name extends string>(name: Name, value: unknown): { readonly [N in Name]?: string } {
  return (typeof value === 'string' ? { [name]: value } : {}) as { readonly [N in Name]?: string };
}

/** Where the CA's resources live. The paths are of no standard, as with every CA: clients learn them from answers. */
export interface Resources {
  readonly directory: string;
  readonly newNonce: string;
  readonly newAccount: string;
  readonly newOrder: string;
  account(id: number): string;
  order(id: number): string;
  finalize(id: number): string;
  certificate(serial: string): string;
  authorization(id: number): string;
  challenge(id: number): string;
}

export interface DirectoryMeta {
  readonly termsOfService?: string;
  readonly externalAccountRequired: boolean;
  readonly profiles?: Readonly<Record<string, string>>;
}

export function resourcesAt(origin: string): Resources {
  return {
    directory: `${origin}/directory`,
    newNonce: `${origin}/new-nonce`,
    newAccount: `${origin}/new-account`,
    newOrder: `${origin}/new-order`,
    account: (id) => `${origin}/account/${id}`,
    order: (id) => `${origin}/order/${id}`,
    finalize: (id) => `${origin}/order/${id}/finalize`,
    certificate: (serial) => `${origin}/certificate/${serial}`,
    authorization: (id) => `${origin}/authorization/${id}`,
    challenge: (id) => `${origin}/challenge/${id}`,
  };
}

/** The directory object (RFC 8555 7.1.1). */
export function directoryDocument(resources: Resources, meta: DirectoryMeta): Readonly<Record<string, unknown>> {
  return {
    newNonce: resources.newNonce,
    newAccount: resources.newAccount,
    newOrder: resources.newOrder,
    meta,
    // Let's Encrypt adds such a member too: clients have to read over what they do not know.
    'unknown-to-every-client': 'to be ignored',
  };
}

import type { Evidence, LedgerEntry, Receipt, SelfCheckMode } from '@zoneproof/core';

/** The API group and version of every resource but Secret. */
export const apiVersion = 'zoneproof.dev/v1alpha1';

export type Kind = 'Issuer' | 'ClusterIssuer' | 'Certificate' | 'Order' | 'Secret';

/** `namespace/name`, unique within a kind. A ClusterIssuer has the namespace `''`. */
export interface ObjectKey {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

export interface ObjectMeta {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Grows with each change of `spec`. */
  readonly generation: number;
  /** Grows with each change at all; opaque. */
  readonly resourceVersion: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Set when deletion was asked for and finalizers are still there. */
  readonly deletedAt?: number;
  readonly finalizers?: readonly string[];
  readonly owner?: { readonly kind: Kind; readonly name: string; readonly uid: string };
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A Kubernetes condition. `reason` is one of the words in docs/conditions.md. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  /** Epoch milliseconds of the last change of `status`. */
  readonly lastTransitionAt: number;
}

// ---------------------------------------------------------------- Issuer

export interface SecretKeyRef {
  readonly name: string;
  readonly key: string;
}

/** One element of `spec.acme.dns01.providers`: a name and exactly one block. */
export interface ProviderSpec {
  readonly name: string;
  /** Which domains this provider serves, for Issuers with several. Extension. */
  readonly selector?: { readonly dnsZones?: readonly string[]; readonly dnsNames?: readonly string[] };
  readonly [block: string]: unknown;
}

export interface IssuerSpec {
  readonly acme: {
    readonly email?: string;
    readonly server: string;
    readonly privateKeySecretRef: { readonly name: string };
    readonly caBundle?: string;
    readonly termsOfServiceAgreed?: boolean;
    readonly externalAccountBinding?: { readonly keyID: string; readonly keySecretRef: SecretKeyRef };
    readonly profile?: string;
    readonly dns01: { readonly providers: readonly ProviderSpec[]; readonly selfCheck?: SelfCheckSpec };
  };
  /** ClusterIssuer only: namespaces whose Certificates may use it; absent: all. */
  readonly allowedNamespaces?: readonly string[];
  /** ClusterIssuer only: domains whose names, and those below, it may be used for; absent: all. */
  readonly allowedDomains?: readonly string[];
}

/** `spec.acme.dns01.selfCheck`: servers as in `--dns01-self-check-nameservers`. */
export interface SelfCheckSpec {
  readonly mode?: SelfCheckMode;
  readonly nameservers?: readonly string[];
  readonly finalResolvers?: readonly string[];
}

export interface IssuerStatus {
  readonly conditions?: readonly Condition[];
  readonly acme?: {
    readonly accountURL?: string;
    /** The server the account belongs to: another `spec.acme.server` needs another account. */
    readonly server?: string;
    readonly keyThumbprint?: string;
    readonly termsOfService?: string;
    /** Epoch milliseconds: creating the Issuer was the consent. */
    readonly termsOfServiceAgreedAt?: number;
  };
  readonly providers?: readonly {
    readonly name: string;
    /** The block's key and the vendor's name: `rfc2136 (RFC 2136)`. */
    readonly block: string;
    readonly ready: boolean;
    readonly reason: string;
    readonly message: string;
  }[];
}

export interface Issuer {
  readonly kind: 'Issuer' | 'ClusterIssuer';
  readonly metadata: ObjectMeta;
  readonly spec: IssuerSpec;
  readonly status: IssuerStatus;
}

// ---------------------------------------------------------------- Certificate

export interface CertificateSpec {
  readonly secretName: string;
  readonly secretTemplate?: SecretTemplate;
  readonly dnsNames: readonly string[];
  readonly issuerRef: { readonly name: string; readonly kind?: 'Issuer' | 'ClusterIssuer' };
  readonly dns01?: readonly { readonly provider: string; readonly domains: readonly string[] }[];
  readonly privateKey?: {
    readonly algorithm?: 'ECDSA' | 'RSA';
    readonly size?: number;
    readonly rotationPolicy?: 'Always' | 'Never';
  };
  /** A duration: `720h`, `30d`, or a share of the lifetime: `33%`. */
  readonly renewBefore?: string;
  /** Standalone only: run after a new certificate was stored. */
  readonly onIssued?: readonly string[];
}

/** Labels and annotations that the Certificate's Secret has, beside those that others gave it. */
export interface SecretTemplate {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface CertificateStatus {
  readonly conditions?: readonly Condition[];
  /** Counts issuances begun; the next Order is `NAME-ISSUANCE`. Written before the Order is created. */
  readonly issuance?: number;
  /** Name of the Order that is under way. */
  readonly order?: string;
  /** What the current certificate was issued for; a difference from `spec` means issue again. */
  readonly issuedFor?: string;
  readonly notBefore?: number;
  readonly notAfter?: number;
  readonly serial?: string;
  readonly issuer?: string;
  /** Epoch milliseconds: when the certificate is due. Fixed once per certificate and `renewBefore`. */
  readonly renewAt?: number;
  /** The `spec.renewBefore` that `renewAt` follows. */
  readonly renewBefore?: string;
  /** Set by `zoneproof renew`. */
  readonly renewRequestedAt?: number;
  readonly lastFailure?: {
    readonly at: number;
    readonly count: number;
    readonly reason: string;
    readonly message: string;
    readonly retryAt: number;
    readonly issuedFor: string;
  };
}

export interface Certificate {
  readonly kind: 'Certificate';
  readonly metadata: ObjectMeta;
  readonly spec: CertificateSpec;
  readonly status: CertificateStatus;
}

// ---------------------------------------------------------------- Order

export interface OrderSpec {
  readonly dnsNames: readonly string[];
  readonly issuerRef: { readonly name: string; readonly kind: 'Issuer' | 'ClusterIssuer' };
  readonly dns01?: CertificateSpec['dns01'];
  /** The Secret with the new private key, stored before the Order is created. */
  readonly privateKeySecretName: string;
}

/** One authorization of the order and what we did for it. */
export interface ChallengeStatus {
  readonly authorizationURL: string;
  /** The identifier without `*.`. */
  readonly domain: string;
  readonly wildcard: boolean;
  /** The authorization's status at the CA (RFC 8555 7.1.6). */
  readonly authorization: 'pending' | 'valid' | 'invalid' | 'deactivated' | 'expired' | 'revoked';
  readonly expiresAt?: number;
  readonly challengeURL?: string;
  /** The TXT value. */
  readonly value?: string;
  /** Provider name in the Issuer, where the value goes, and in which zone. */
  readonly provider?: string;
  readonly target?: string;
  readonly zone?: string;
  /** How far this challenge is: each step is reached only after the one before it. */
  readonly step: 'new' | 'presented' | 'visible' | 'responded' | 'validated' | 'failed';
  readonly presentedAt?: number;
  /** Where the provider tells when its servers have the value: the self check begins after that. */
  readonly sync?: ChallengeSync;
  /** The last look of the self check. */
  readonly evidence?: Evidence;
  readonly looks?: number;
  readonly error?: string;
  /** The CA's word for it: `dns`, `unauthorized`, `caa` (RFC 8555 6.7). */
  readonly errorType?: string;
}

/** The provider's own propagation signal of one value. */
export interface ChallengeSync {
  /** The provider's account that the receipt belongs to. */
  readonly account: string;
  readonly receipt: Receipt;
  /** Epoch milliseconds: when the service took the change. */
  readonly since: number;
  /** `unknown`: the DNS alone tells, for the `reason` given. */
  readonly state: 'pending' | 'synced' | 'unknown';
  readonly reason?: string;
}

export interface OrderStatus {
  readonly conditions?: readonly Condition[];
  /** `running` is not stored: it is the absence of both. */
  readonly result?: 'valid' | 'failed';
  readonly acme?: {
    readonly orderURL: string;
    readonly finalizeURL: string;
    readonly certificateURL?: string;
    readonly status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
    readonly expiresAt?: number;
  };
  /** The account that `acme` belongs to: nobody else can go on with it. */
  readonly accountURL?: string;
  readonly challenges?: readonly ChallengeStatus[];
  /** Open TXT values (see Ledger in @zoneproof/core). */
  readonly ledger?: readonly LedgerEntry[];
  /** PEM; kept until the Certificate has taken it. */
  readonly certificate?: string;
  /** What stands in the way now, and when we try again. */
  readonly waiting?: { readonly reason: string; readonly message: string; readonly until?: number };
  /** Why a value of ours is still in a zone, and when we try again to remove it. */
  readonly cleanUp?: { readonly reason: string; readonly message: string; readonly until: number };
  readonly failure?: { readonly reason: string; readonly message: string; readonly retryAt?: number };
}

export interface Order {
  readonly kind: 'Order';
  readonly metadata: ObjectMeta;
  readonly spec: OrderSpec;
  readonly status: OrderStatus;
}

// ---------------------------------------------------------------- Secret

/** `data` never prints: it is a non-enumerable property behind {@link secretData}. */
export interface Secret {
  readonly kind: 'Secret';
  readonly metadata: ObjectMeta;
  readonly type?: string;
  readonly data: SecretData;
}

/** Entries of a Secret; shows only the entry names when printed. */
export interface SecretData {
  entries(): readonly string[];
  get(entry: string): Uint8Array | undefined;
}

export interface ObjectOfKind {
  readonly Issuer: Issuer;
  readonly ClusterIssuer: Issuer;
  readonly Certificate: Certificate;
  readonly Order: Order;
  readonly Secret: Secret;
}

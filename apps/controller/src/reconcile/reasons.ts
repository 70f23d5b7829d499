/**
 * The stable words that conditions, reports and Orders give as a reason, each with what it means. docs/conditions.md
 * lists the same words with the same meanings, and says what to do; a test compares the two.
 */
export const reasons = {
  // what is well
  AccountRegistered: 'The CA knows the account.',
  Issued: 'The stored certificate is current.',
  ProviderReady: 'The provider answered its check.',
  // what is under way
  NotCheckedYet: 'zoneproof has not looked at this object yet.',
  Issuing: 'An Order is under way.',
  RenewalDue: 'The certificate is due and a new one is being issued; the old one stays until then.',
  SelfCheckWaiting: 'The TXT value is written; not all authoritative servers show it yet.',
  SlotBusy: 'The acme-dns account holds as many live values as it can; the Order waits for another to finish.',
  OrderShared: 'The CA gave the order of another Certificate with the same names; this one waits for it.',
  CleanUpAbandoned: 'TXT values of ours stay in a zone: nothing is left that could remove them.',
  // issuer and account
  SpecInvalid: 'A field of the Issuer or Certificate cannot be used.',
  IssuerNotFound: 'The Certificate names an Issuer that does not exist.',
  IssuerNotReady: 'The Issuer has no account at the CA yet.',
  NamespaceNotAllowed: 'The ClusterIssuer does not serve the namespace of the Certificate.',
  DomainNotAllowed: 'The ClusterIssuer is not for a name of the Certificate.',
  AccountKeyUnreadable: 'The account key in privateKeySecretRef is not a usable private key; it is never overwritten.',
  AccountNotValid: 'The CA does not know the account or has closed it.',
  TermsOfServiceNotAgreed: 'The CA wants its (new) terms of service agreed to.',
  ExternalAccountRequired: 'The CA issues only to accounts bound to one of its own (EAB).',
  // provider
  ProviderNotChosen: 'No provider, or more than one, could hold the name; the certificate has to say which.',
  ProviderNotInstalled: 'The package of the provider is not installed or does not load.',
  ProviderInvalid: 'The provider block is invalid.',
  AddressNotAllowed: 'What the Issuer names leads to an address that Issuers of namespaces may not have asked.',
  EndpointNotAllowed: 'The provider block names an endpoint or a caBundle that Issuers of namespaces may not name.',
  AmbientCredentialsNotAllowed:
    "The provider block asks for the controller's own credentials, which Issuers of namespaces may not use.",
  ZoneNotLocated: 'The zone of the name could not be found in the DNS.',
  DNSSECBroken: 'DNSSEC of a zone is broken, so that CAs get no answer from it.',
  ZoneNotFound: 'The provider holds no zone for the name.',
  CredentialsRefused: 'The DNS service refused the credentials, or their Secret is missing.',
  PermissionDenied: 'The credentials may not do this.',
  ProviderRejected: 'The DNS service refused the change.',
  WriteConflict: 'Others write to the same records; the change is tried again.',
  ProviderRateLimited: 'The DNS service asks to slow down.',
  QuotaReached: 'A limit of the DNS service is reached.',
  ProviderUnavailable: 'The DNS service does not answer.',
  ActionRequired: 'A record has to be created by hand; the message prints it.',
  Interrupted: 'The work was stopped and goes on.',
  // CA
  CAUnavailable: 'The CA does not answer or has a fault.',
  CAProtocolError: 'The server does not speak ACME as RFC 8555 describes it.',
  CARateLimited: 'The CA asks to wait.',
  CAPaused: 'The CA has paused issuance for a name; the message says how to unpause it.',
  CARefused: 'The CA refused the request.',
  CAAForbids: 'A CAA record forbids this CA to issue.',
  NameRejected: 'The CA does not issue for a name.',
  KeyRejected: 'The CA refused the key or the certificate request.',
  ValidationFailed: 'The CA could not validate a name.',
  OrderInvalid: 'The CA gave up the order.',
  OrderExpired: 'The order ended before it was complete.',
  SelfCheckTimedOut: 'The TXT value did not become visible before the authorization ended.',
  CertificateMismatch: 'The CA delivered a certificate that does not match what was asked for; it was not stored.',
  // store
  SecretUnreadable: 'A Secret cannot be read.',
  StateNotWritable:
    'The state directory cannot be written: the disk is full, read-only or not ours. Or the API server refuses a write.',
  SecretNotOurs: 'The Secret of the certificate belongs to someone else and is not overwritten.',
  KeyMissing: 'The private key of the Order is gone.',
  // after issuance
  OnIssuedDone: 'The onIssued command ended well.',
  OnIssuedFailed: 'The onIssued command could not be run or failed; the certificate is stored.',
  InternalError: 'A fault of zoneproof; please report it.',
} as const;

export type Reason = keyof typeof reasons;

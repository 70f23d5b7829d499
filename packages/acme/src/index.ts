export { type AccountKey, AccountKeyError, generateAccountKey, readAccountKey } from './account-key.ts';
export { type CertificateFacts, CertificateMismatchError, certificateFacts, verifyCertificate } from './certificate.ts';
export { CertificateKeyError, createCertificateKey } from './certificate-key.ts';
export { type AcmeClient, type AcmeClientOptions, createAcmeClient, type NewAccount, type NewOrder } from './client.ts';
export { CsrError, createCsr } from './csr.ts';
export type { Directory } from './directory.ts';
export { dns01Challenge, dns01Label, dns01Value } from './dns01.ts';
export { AcmeProtocolError, AcmeUnavailableError } from './errors.ts';
export { defaultHttp, type HttpAnswer, type HttpClient, type HttpRequest } from './http.ts';
export type { ExternalAccount } from './jws.ts';
export { nextPollAt } from './poll.ts';
export { AcmeProblem, type Disposition, type Problem, type Subproblem } from './problem.ts';
export { type RenewBefore, renewalTime, renewBeforeProblem } from './renewal.ts';
export type {
  Account,
  AcmeOrder,
  Authorization,
  AuthorizationStatus,
  CertificateChain,
  Challenge,
  ChallengeStatus,
  Identifier,
  OrderState,
  OrderStatus,
} from './resources.ts';

import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import { jsonObject } from '@zoneproof/core';

/** What of a service account's key file is used; https://cloud.google.com/iam/docs/keys-create-delete */
export interface ServiceAccount {
  readonly email: string;
  /** Prints as an object without contents. */
  readonly key: KeyObject;
  readonly keyId: string | undefined;
  readonly projectId: string | undefined;
  /** Where assertions are exchanged for access tokens, and their audience. */
  readonly tokenUrl: string;
}

export type ServiceAccountReading =
  | { readonly account: ServiceAccount; readonly problem?: undefined }
  | { readonly account?: undefined; readonly problem: string };

export const googleTokenUrl = 'https://oauth2.googleapis.com/token';

/** Both are enough for what is sent; this is the narrower: https://cloud.google.com/dns/docs/reference/rest/v1/changes/create */
export const scope = 'https://www.googleapis.com/auth/ndev.clouddns.readwrite';

/**
 * Reads the key file of a service account. Pure. A problem never repeats what the file holds, apart from its type.
 * `anyTokenUrl`: the block names an endpoint of its own, and so may the file.
 */
export function readServiceAccount(text: string, anyTokenUrl: boolean): ServiceAccountReading {
  const file = jsonObject(text);
  if (file === undefined) return { problem: 'not a JSON object; it has to be the key file of a service account' };
  const { type, client_email: email, private_key: pem, private_key_id: keyId, project_id: projectId } = file;
  if (type !== 'service_account') return { problem: wrongType(type) };
  if (typeof email !== 'string' || email === '') return { problem: 'the field client_email is missing' };
  if (typeof pem !== 'string' || pem === '') return { problem: 'the field private_key is missing' };
  const key = readKey(pem);
  if (key === undefined)
    return { problem: 'private_key is no RSA key in PEM form; line breaks inside it are written as \\n in JSON' };
  const tokenUrl = file.token_uri ?? googleTokenUrl;
  if (!isTrusted(tokenUrl, anyTokenUrl))
    return {
      problem: 'token_uri leads away from Google; that is followed only where the block has a field endpoint',
    };
  return {
    account: { email, key, keyId: textOf(keyId), projectId: textOf(projectId), tokenUrl },
  };
}

/** A file may choose the host that credentials are sent to only within Google, unless the block itself names a host. */
export function isTrusted(url: unknown, anyHttps: boolean): url is string {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol, hostname, username } = new URL(url);
  return protocol === 'https:' && username === '' && (anyHttps || isGoogle(hostname));
}

export function isGoogle(hostname: string): boolean {
  // Key files from before 2018 have the second.
  return hostname.endsWith('.googleapis.com') || hostname === 'accounts.google.com';
}

/** Tells credentials apart without keeping them. */
export function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function wrongType(type: unknown): string {
  switch (type) {
    case 'authorized_user':
      return 'holds the login of a person (authorized_user); create a key of a service account';
    case 'external_account':
    case 'external_account_authorized_user':
      return `holds a configuration of workload identity federation (${type}), which is no secret and works as ambient credentials: leave serviceAccountSecretRef out and point GOOGLE_APPLICATION_CREDENTIALS at it`;
    case undefined:
      return 'the field type is missing; a key file of a service account has "type": "service_account"';
    default:
      return 'the field type is not "service_account"; create a key of a service account';
  }
}

function readKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

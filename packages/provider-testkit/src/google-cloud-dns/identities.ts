import { createPublicKey, generateKeyPair, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';

/** The key file of a service account: https://cloud.google.com/iam/docs/keys-create-delete */
export interface ServiceAccountKey {
  readonly type: 'service_account';
  readonly project_id: string;
  readonly private_key_id: string;
  readonly private_key: string;
  readonly client_email: string;
  readonly client_id: string;
  readonly auth_uri: string;
  readonly token_uri: string;
  readonly universe_domain: string;
}

/** What `gcloud auth application-default login` writes. */
export interface AuthorizedUser {
  readonly type: 'authorized_user';
  readonly client_id: string;
  readonly client_secret: string;
  readonly refresh_token: string;
  readonly quota_project_id: string;
  readonly token_uri: string;
}

interface Account {
  readonly keys: Map<string, KeyObject>;
}

interface AccessToken {
  readonly scopes: readonly string[];
  readonly expiresAt: number;
}

/** Who may ask for access tokens, and the tokens given out. */
export class Identities {
  readonly accounts = new Map<string, Account>();
  readonly users: AuthorizedUser[] = [];
  /** Tokens of a workload's own identity provider that the pool trusts. */
  readonly subjectTokens = new Set<string>();
  readonly #tokens = new Map<string, AccessToken>();

  async newServiceAccount(project: string, tokenUri: string): Promise<ServiceAccountKey> {
    const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
    const client_email = `acme-${randomBytes(4).toString('hex')}@${project}.iam.gserviceaccount.com`;
    const private_key_id = randomBytes(20).toString('hex');
    this.accounts.set(client_email, {
      keys: new Map([[private_key_id, createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }))]]),
    });
    return {
      type: 'service_account',
      project_id: project,
      private_key_id,
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      client_email,
      client_id: '109876543210987654321',
      auth_uri: 'https://accounts.google.com/o/oauth2/auth',
      token_uri: tokenUri,
      universe_domain: 'googleapis.com',
    };
  }

  newUser(project: string, tokenUri: string): AuthorizedUser {
    const user: AuthorizedUser = {
      type: 'authorized_user',
      client_id: '764086051850-6qr4p6gpi6hn506pt8ejuq83di341hur.apps.googleusercontent.com',
      client_secret: `d-${randomUUID()}`,
      refresh_token: `1//0${randomBytes(24).toString('base64url')}`,
      quota_project_id: project,
      token_uri: tokenUri,
    };
    this.users.push(user);
    return user;
  }

  issue(scopes: readonly string[], expiresAt: number): string {
    const token = `ya29.${randomBytes(48).toString('base64url')}`;
    this.#tokens.set(token, { scopes, expiresAt });
    return token;
  }

  /** The scopes of a token that is valid now. */
  scopesOf(token: string, now: number): readonly string[] | undefined {
    const known = this.#tokens.get(token);
    return known && known.expiresAt > now ? known.scopes : undefined;
  }

  /** All access tokens stop working. */
  revokeTokens(): void {
    this.#tokens.clear();
  }
}

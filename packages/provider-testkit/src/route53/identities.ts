import { randomBytes } from 'node:crypto';
import type { AccessPolicy } from './policy.ts';
import { Refusal } from './refusal.ts';
import type { SigningKey } from './signature.ts';

/** Who signs with an access key. */
export interface Principal extends SigningKey {
  readonly arn: string;
  readonly policy: AccessPolicy;
}

/** A role that may be assumed. */
export interface Role {
  readonly arn: string;
  readonly policy: AccessPolicy;
  /** AssumeRole has to name it. */
  readonly externalId?: string;
  /** AssumeRoleWithWebIdentity has to bring it. */
  readonly webIdentityToken?: string;
}

/** What AssumeRole hands out. */
export interface Session {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Users, roles and sessions of the account. */
export class Identities {
  readonly #keys = new Map<string, Principal>();
  readonly #roles = new Map<string, Role>();

  addKey(accessKeyId: string, principal: Principal): void {
    this.#keys.set(accessKeyId, principal);
  }

  addRole(role: Role): void {
    this.#roles.set(role.arn, role);
  }

  get(accessKeyId: string): Principal | undefined {
    return this.#keys.get(accessKeyId);
  }

  /** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html @throws Refusal AccessDenied */
  assume(caller: Principal, form: URLSearchParams, now: number): Session & { readonly arn: string } {
    const arn = form.get('RoleArn') ?? '';
    const role = this.#roles.get(arn);
    if (role === undefined || (role.externalId !== undefined && role.externalId !== form.get('ExternalId')))
      throw new Refusal(
        403,
        'AccessDenied',
        `User: ${caller.arn} is not authorized to perform: sts:AssumeRole on resource: ${arn}`,
      );
    return this.#open(role, form, now);
  }

  /** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html @throws Refusal */
  assumeWithWebIdentity(form: URLSearchParams, now: number): Session & { readonly arn: string } {
    const role = this.#roles.get(form.get('RoleArn') ?? '');
    if (role === undefined)
      throw new Refusal(403, 'AccessDenied', 'Not authorized to perform sts:AssumeRoleWithWebIdentity');
    if (role.webIdentityToken === undefined || role.webIdentityToken !== form.get('WebIdentityToken'))
      throw new Refusal(400, 'InvalidIdentityToken', 'No OpenIDConnect provider found in your account for that token');
    return this.#open(role, form, now);
  }

  #open({ arn, policy }: Role, form: URLSearchParams, now: number): Session & { readonly arn: string } {
    const seconds = Number(form.get('DurationSeconds') ?? 3600);
    const session: Session = {
      accessKeyId: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
      secretAccessKey: randomBytes(30).toString('base64'),
      sessionToken: randomBytes(96).toString('base64'),
      expiresAt: now + seconds * 1000,
    };
    const [, account = '', role = ''] = /^arn:[^:]+:iam::(\d+):role\/(.+)$/.exec(arn) ?? [];
    const assumed = `arn:aws:sts::${account}:assumed-role/${role}/${form.get('RoleSessionName') ?? ''}`;
    this.#keys.set(session.accessKeyId, { ...session, arn: assumed, policy });
    return { ...session, arn: assumed };
  }
}

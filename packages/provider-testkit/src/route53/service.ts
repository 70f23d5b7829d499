import { randomUUID } from 'node:crypto';
import type { ApiAnswer, ApiRequest, EmulatedApi, PublishedTxt } from '../emulator/index.ts';
import { BatchRefusal, carryOut } from './change-batch.ts';
import { type ChangeInfo, ChangeLog, type SyncRule } from './changes.ts';
import { type HostedZone, HostedZones } from './hosted-zones.ts';
import { Identities, type Session } from './identities.ts';
import { listRecordSets, listZonesByName } from './lists.ts';
import { type AccessPolicy, authorize } from './policy.ts';
import { readChanges } from './record-set.ts';
import { documentAnswer, Refusal, refusalAnswer } from './refusal.ts';
import { verifySignature } from './signature.ts';
import { parseXml, type XmlElement, xml } from './xml.ts';

/** The next requests of an action are refused so. */
export interface ArrangedRefusal {
  readonly action: string;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Default 1. */
  readonly times?: number;
}

/** One AWS account with Route 53 and STS. */
export class AwsAccount implements EmulatedApi {
  readonly zones = new HostedZones();
  readonly identities = new Identities();
  readonly changes: ChangeLog;
  readonly listeners: ((change: PublishedTxt) => void)[] = [];
  readonly refusals: { refusal: ArrangedRefusal; left: number }[] = [];
  /** Takes the place of the policy of every identity while it is set. */
  policy: AccessPolicy | undefined;
  /** How far this clock is ahead of the real one. */
  skewMs = 0;
  /** A refused batch names no more than so many changes. */
  maxMessages = Number.POSITIVE_INFINITY;
  maxRecordsPerZone = 10_000;
  readonly #region: string;

  constructor(region: string, sync: SyncRule) {
    this.#region = region;
    this.changes = new ChangeLog(sync);
  }

  now(): number {
    return Date.now() + this.skewMs;
  }

  actionOf(request: ApiRequest): string {
    return this.#route(request).action;
  }

  isWrite(action: string): boolean {
    return action === 'ChangeResourceRecordSets';
  }

  answer(request: ApiRequest, { pretend }: { readonly pretend: boolean }): ApiAnswer {
    const requestId = randomUUID();
    const { action, service, id } = this.#route(request);
    try {
      const answer = service === 'sts' ? this.#sts(action, request) : this.#route53(action, id, request, pretend);
      return this.#dated(documentAnswer(service, `${action}Response`, answer, requestId));
    } catch (error) {
      if (error instanceof BatchRefusal) {
        const told = new BatchRefusal(error.messages.slice(0, this.maxMessages));
        return this.#dated(refusalAnswer(service, new Refusal(400, 'InvalidChangeBatch', told.message), requestId));
      }
      if (!(error instanceof Refusal)) throw error;
      return this.#dated(refusalAnswer(service, error, requestId));
    }
  }

  /** https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/throttling-api-requests.html */
  throttled(retryAfterSeconds: number | undefined): ApiAnswer {
    const answer = refusalAnswer('route53', new Refusal(400, 'Throttling', 'Rate exceeded'), randomUUID());
    // assumed: Route 53 sends no Retry-After; something in between may
    if (retryAfterSeconds === undefined) return this.#dated(answer);
    return this.#dated({ ...answer, headers: { ...answer.headers, 'retry-after': String(retryAfterSeconds) } });
  }

  /** https://docs.aws.amazon.com/Route53/latest/APIReference/CommonErrors.html */
  unavailable(): ApiAnswer {
    const refusal = new Refusal(503, 'ServiceUnavailable', 'Service is unable to handle request.');
    return this.#dated(refusalAnswer('route53', refusal, randomUUID()));
  }

  #route({ method, path, body }: ApiRequest): Route {
    if (path === '/' && method === 'POST')
      return { service: 'sts', action: new URLSearchParams(body.toString()).get('Action') ?? '', id: '' };
    const [, kind = '', id = '', below = ''] = /^\/2013-04-01\/(\w+)(?:\/([^/]+))?(?:\/(\w+))?\/?$/.exec(path) ?? [];
    const action = actions[`${method} ${kind}${id === '' ? '' : '/{Id}'}${below === '' ? '' : `/${below}`}`];
    return { service: 'route53', action: action ?? 'UnknownOperation', id };
  }

  #route53(action: string, id: string, request: ApiRequest, pretend: boolean): readonly string[] {
    const now = this.now();
    const { identities } = this;
    const keyId = verifySignature(request, {
      service: 'route53',
      region: this.#region,
      now,
      keyOf: (accessKeyId) => identities.get(accessKeyId),
    });
    this.#refuse(action);
    const principal = identities.get(keyId)!;
    const kind = action === 'GetChange' ? 'change' : 'hostedzone';
    const resource = id === '' ? '*' : `arn:aws:route53:::${kind}/${id}`;
    authorize(this.policy ?? principal.policy, principal.arn, `route53:${action}`, resource);
    switch (action) {
      case 'ListHostedZonesByName':
        return listZonesByName(this.zones.sorted(), request.query);
      case 'ListResourceRecordSets':
        return listRecordSets(this.zones.get(id), request.query);
      case 'ChangeResourceRecordSets':
        return [changeInfo(this.#change(this.zones.get(id), readDocument(request), pretend))];
      case 'GetChange':
        return [changeInfo(this.changes.poll(id))];
      default:
        throw new Refusal(404, 'InvalidAction', `The action ${action} is not emulated.`);
    }
  }

  #change(zone: HostedZone, document: XmlElement, pretend: boolean): ChangeInfo {
    const changes = readChanges(document);
    const after = carryOut(changes, zone.name, zone.sets);
    // assumed: the quota is published, the words are not
    if (after.size > Math.max(this.maxRecordsPerZone, zone.sets.size))
      throw new Refusal(
        400,
        'LimitsExceeded',
        `The hosted zone has reached its limit of ${this.maxRecordsPerZone} records.`,
      );
    if (!pretend) zone.sets = after;
    const names = new Set(changes.filter(({ set }) => set.type === 'TXT').map(({ set }) => set.name));
    return this.changes.submit(this.now(), () => {
      for (const name of names) for (const listener of this.listeners) listener(this.zones.published(name));
    });
  }

  #sts(action: string, request: ApiRequest): readonly string[] {
    const now = this.now();
    const form = new URLSearchParams(request.body.toString());
    this.#refuse(action);
    if (action === 'AssumeRoleWithWebIdentity')
      return [sessionXml(action, this.identities.assumeWithWebIdentity(form, now))];
    const keyId = verifySignature(request, { service: 'sts', now, keyOf: (id) => this.identities.get(id) });
    if (action !== 'AssumeRole') throw new Refusal(400, 'InvalidAction', `Could not find operation ${action}`);
    return [sessionXml(action, this.identities.assume(this.identities.get(keyId)!, form, now))];
  }

  #refuse(action: string): void {
    const armed = this.refusals.find(({ refusal, left }) => left > 0 && refusal.action === action);
    if (armed === undefined) return;
    armed.left--;
    throw new Refusal(armed.refusal.status, armed.refusal.code, armed.refusal.message);
  }

  #dated(answer: ApiAnswer): ApiAnswer {
    return { ...answer, headers: { ...answer.headers, date: new Date(this.now()).toUTCString() } };
  }
}

interface Route {
  readonly service: 'route53' | 'sts';
  readonly action: string;
  readonly id: string;
}

const actions: Readonly<Record<string, string>> = {
  'GET hostedzone': 'ListHostedZones',
  'GET hostedzonesbyname': 'ListHostedZonesByName',
  'GET hostedzone/{Id}': 'GetHostedZone',
  'GET hostedzone/{Id}/rrset': 'ListResourceRecordSets',
  'POST hostedzone/{Id}/rrset': 'ChangeResourceRecordSets',
  'GET change/{Id}': 'GetChange',
};

function readDocument({ body }: ApiRequest): XmlElement {
  try {
    return parseXml(body.toString('utf8'));
  } catch (error) {
    throw new Refusal(400, 'MalformedInput', `Invalid XML ; ${(error as Error).message}`);
  }
}

function changeInfo({ id, status, submittedAt }: ChangeInfo): string {
  return xml('ChangeInfo', [
    xml('Id', `/change/${id}`),
    xml('Status', status),
    xml('SubmittedAt', new Date(submittedAt).toISOString()),
  ]);
}

function sessionXml(action: string, session: Session & { readonly arn: string }): string {
  return xml(`${action}Result`, [
    xml('AssumedRoleUser', [xml('AssumedRoleId', `AROAEMULATED:session`), xml('Arn', session.arn)]),
    xml('Credentials', [
      xml('AccessKeyId', session.accessKeyId),
      xml('SecretAccessKey', session.secretAccessKey),
      xml('SessionToken', session.sessionToken),
      xml('Expiration', new Date(session.expiresAt).toISOString()),
    ]),
  ]);
}

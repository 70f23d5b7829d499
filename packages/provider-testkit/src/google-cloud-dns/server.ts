import type { DnsName } from '@zoneproof/dns';
import {
  type ApiRequest,
  type EmulatedZones,
  type EmulatorServer,
  type PublishedTxt,
  startEmulatorServer,
} from '../emulator/index.ts';
import { throttled, unavailable } from './answers.ts';
import { actionOfApi, CloudDnsApi } from './api.ts';
import type { Limits } from './changes.ts';
import type { AuthorizedUser, ServiceAccountKey } from './identities.ts';
import { answerExchange, answerImpersonation, answerMetadata, answerToken } from './token-endpoint.ts';
import {
  holderOf,
  ManagedZone,
  type ManagedZoneSpec,
  plantTxt,
  publishedTxt,
  type ResourceRecordSet,
} from './zones.ts';

export interface GoogleCloudDnsOptions {
  /** Default `test-project`. */
  readonly project?: string;
  /** Default `example.test`, public. */
  readonly zones?: readonly (string | ManagedZoneSpec)[];
  /** Epoch milliseconds; default the system's clock. */
  readonly now?: () => number;
  /** How often a look at a change finds it `pending`; it is published with the look after these. Default 1. */
  readonly pendingPolls?: number;
}

/** Cloud DNS with its token endpoint, the token exchange of workload identity federation and the metadata server. */
export interface GoogleCloudDns extends EmulatorServer, EmulatedZones {
  readonly project: string;
  /** `POST` here for access tokens; the audience of assertions. */
  readonly tokenUri: string;
  /** The key file of a service account that has all `permissions`. */
  readonly serviceAccount: ServiceAccountKey;
  /** What the service accounts may do; a test may take away and add. */
  readonly permissions: Set<string>;
  readonly limits: Limits;
  /** How far the clock here is ahead of the true time. */
  skewMs: number;
  /** False: the API is not enabled in the project. */
  enabled: boolean;
  /** Another key file, of another service account. */
  newServiceAccount(): Promise<ServiceAccountKey>;
  /** Deletes the key of a service account; its assertions are refused from now on. */
  deleteKey(key: ServiceAccountKey): () => void;
  /** All access tokens stop working before their time. */
  revokeTokens(): void;
  /** A person who has logged in with gcloud. */
  newUser(): AuthorizedUser;
  /** A token of a foreign identity provider that is trusted from now on. */
  trustSubjectToken(token: string): void;
  /** Adds a zone; the result removes it. */
  addZone(spec: string | ManagedZoneSpec): () => void;
  /** A set of any type, past the API. */
  putSet(set: ResourceRecordSet): void;
  /** The stored set, to the letter. */
  storedSet(name: string, type: string): ResourceRecordSet | undefined;
}

export async function startGoogleCloudDns(options: GoogleCloudDnsOptions = {}): Promise<GoogleCloudDns> {
  const { project = 'test-project', zones = ['example.test'], now = Date.now, pendingPolls = 1 } = options;
  const listeners: ((change: PublishedTxt) => void)[] = [];
  const tell = (names: readonly DnsName[]) => {
    for (const name of names) for (const listener of listeners) listener(publishedTxt(api.zones, name));
  };
  const api = new CloudDnsApi(project, pendingPolls, tell);
  const clock = { skewMs: 0, now: () => now() + clock.skewMs };
  let tokenUri = '';

  function addZone(spec: string | ManagedZoneSpec): () => void {
    const zone = new ManagedZone(typeof spec === 'string' ? { dnsName: spec } : spec, api.newZoneId());
    if (api.zones.some(({ name }) => name === zone.name)) throw new Error(`there is a zone named ${zone.name}`);
    api.zones.push(zone);
    return () => {
      const at = api.zones.indexOf(zone);
      if (at >= 0) api.zones.splice(at, 1);
    };
  }

  function zoneOf(name: string): ManagedZone {
    const zone = holderOf(api.zones, name.replace(/\.$/, '') as DnsName);
    if (zone === undefined) throw new Error(`no public zone of the emulator holds ${name}`);
    return zone;
  }

  for (const spec of zones) addZone(spec);
  const server = await startEmulatorServer({
    actionOf,
    isWrite: (action) => action === 'dns.changes.create',
    answer(request, { pretend }) {
      const action = actionOf(request);
      const { identities } = api;
      const headers = { date: new Date(clock.now()).toUTCString() };
      const answer = () => {
        switch (action) {
          case 'oauth2.token':
            return answerToken(request, identities, tokenUri, clock.now());
          case 'sts.token':
            return answerExchange(request, identities, clock.now());
          case 'iam.generateAccessToken':
            return answerImpersonation(request, identities, clock.now());
          case 'metadata.token':
            return answerMetadata(request, identities, clock.now());
          default:
            return api.answer(request, action, clock.now(), pretend);
        }
      };
      const given = answer();
      return { ...given, headers: { ...headers, ...given.headers } };
    },
    throttled,
    unavailable,
  });
  tokenUri = `${server.origin}/token`;
  const serviceAccount = await api.identities.newServiceAccount(project, tokenUri);

  return {
    ...server,
    project,
    tokenUri,
    serviceAccount,
    permissions: api.permissions,
    limits: api.limits,
    get skewMs() {
      return clock.skewMs;
    },
    set skewMs(ms) {
      clock.skewMs = ms;
    },
    get enabled() {
      return api.enabled;
    },
    set enabled(on) {
      api.enabled = on;
    },
    newServiceAccount: () => api.identities.newServiceAccount(project, tokenUri),
    deleteKey({ client_email, private_key_id }) {
      const keys = api.identities.accounts.get(client_email)?.keys;
      const key = keys?.get(private_key_id);
      if (keys === undefined || key === undefined) throw new Error(`${client_email} has no such key`);
      keys.delete(private_key_id);
      return () => void keys.set(private_key_id, key);
    },
    revokeTokens: () => api.identities.revokeTokens(),
    newUser: () => api.identities.newUser(project, tokenUri),
    trustSubjectToken: (token) => void api.identities.subjectTokens.add(token),
    addZone,
    putSet(set) {
      zoneOf(set.name).put(set);
    },
    storedSet: (name, type) => zoneOf(name).get(name, type),
    published: (name) => publishedTxt(api.zones, name),
    plant(name, value, ttl) {
      plantTxt(zoneOf(name), name, value, ttl);
      tell([name]);
    },
    onPublish: (listener) => void listeners.push(listener),
  };
}

function actionOf(request: ApiRequest): string {
  const { path } = request;
  if (path === '/token') return 'oauth2.token';
  if (path === '/v1/token') return 'sts.token';
  if (path.endsWith(':generateAccessToken')) return 'iam.generateAccessToken';
  if (path.startsWith('/computeMetadata/')) return 'metadata.token';
  return actionOfApi(request);
}

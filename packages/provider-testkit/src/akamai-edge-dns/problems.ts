import { randomUUID } from 'node:crypto';
import type { ApiAnswer } from '../emulator/index.ts';

const edge = 'https://problems.luna.akamaiapis.net/-/';
const edgeDns = 'https://problems.luna.akamaiapis.net/authoritative-dns/';

/**
 * A refusal of the gateway before the API: authentication (`pep-authn`) and grants (`pep-authz`). Bodies as in
 * https://techdocs.akamai.com/client-access-control/reference/401 and
 * https://github.com/akamai/AkamaiOPEN-edgegrid-node/issues/234
 */
export function gatewayProblem(
  type: 'pep-authn/deny' | 'pep-authn/request-error' | 'pep-authz/deny',
  detail: string,
  at: { readonly instance: string; readonly method: string; readonly now: number },
): ApiAnswer {
  const [status, title] = {
    'pep-authn/deny': [401, 'Not authorized'] as const,
    'pep-authn/request-error': [400, 'Bad request'] as const,
    'pep-authz/deny': [403, 'Forbidden'] as const,
  }[type];
  return problem(status, {
    type: `${edge}${type}`,
    title,
    status,
    detail,
    instance: at.instance,
    method: at.method,
    serverIp: '192.0.2.80',
    clientIp: '198.51.100.7',
    requestId: randomUUID().slice(0, 8),
    requestTime: new Date(at.now).toISOString().replace(/\.\d+Z$/, 'Z'),
  });
}

/**
 * A refusal of the API itself: https://techdocs.akamai.com/edge-dns/reference/errors, with the types that users have
 * reported (notFound, forbidden, duplicateRecordSet, concurrentZoneModification, serverError). assumed: badRequest,
 * staleChangeList, changeListExists, recordLimitExceeded, since no page lists their types.
 */
export function apiProblem(status: number, type: string, title: string, detail: string): ApiAnswer {
  const id = randomUUID();
  return problem(status, { type: `${edgeDns}${type}`, title, instance: id, status, detail, problemId: id });
}

export const noZone = (zone: string): ApiAnswer =>
  apiProblem(404, 'notFound', 'Not Found', `Unable to find zone '${zone}'`);

/** The text is that of https://github.com/linode/cluster-api-provider-linode/pull/419 */
export const noRecordSet = (name: string, type: string): ApiAnswer =>
  apiProblem(404, 'notFound', 'Not Found', `Unable to find record set with name ${name} and type ${type}`);

/** The text is that of https://github.com/kubernetes-sigs/external-dns/issues/2192 */
export const duplicate = (name: string, type: string): ApiAnswer =>
  apiProblem(
    409,
    'duplicateRecordSet',
    'Duplicate Record Set',
    `Duplicate record set found with name ${name} and type ${type}`,
  );

/** https://github.com/dns-aid/dns-aid-core/pull/202 */
export const busyZone = (zone: string): ApiAnswer =>
  apiProblem(
    409,
    'concurrentZoneModification',
    'Concurrent Zone Modification',
    `Zone '${zone}' is being modified by another request. Please try your request again.`,
  );

/** https://techdocs.akamai.com/edge-dns/reference/use-change-lists: "Change list operations return a 409 error if you try to modify a stale change list." */
export const staleList = (zone: string): ApiAnswer =>
  apiProblem(409, 'staleChangeList', 'Stale Change List', `The change list for zone '${zone}' is stale`);

/** https://techdocs.akamai.com/edge-dns/reference/post-changelists: "You can't create a change list if you've already created one for this zone." */
export const listExists = (zone: string): ApiAnswer =>
  apiProblem(409, 'changeListExists', 'Change List Exists', `A change list for zone '${zone}' already exists`);

export const noList = (zone: string): ApiAnswer =>
  apiProblem(404, 'notFound', 'Not Found', `Unable to find change list for zone '${zone}'`);

export const badRequest = (detail: string): ApiAnswer => apiProblem(400, 'badRequest', 'Bad Request', detail);

/** https://github.com/akamai/terraform-provider-akamai/issues/647 */
export const forbidden = (): ApiAnswer =>
  apiProblem(403, 'forbidden', 'Forbidden', "You don't have permission to access that resource.");

function problem(status: number, body: object): ApiAnswer {
  return { status, headers: { 'content-type': 'application/problem+json' }, body };
}

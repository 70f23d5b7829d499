import type { Certificate, ChallengeStatus, Order } from '../../resources/index.ts';
import { printable } from '../terminal/style.ts';
import { minute } from '../terminal/time-text.ts';

/** Where a certificate stands, in one sentence. */
export interface Progress {
  readonly state: 'ready' | 'working' | 'waiting' | 'failed';
  readonly text: string;
  /** Epoch milliseconds since when this has been waited for. */
  readonly since?: number;
}

/** What is being waited for, at which server, since when. Pure. */
export function describeProgress(certificate: Certificate, order: Order | undefined): Progress {
  const { status } = certificate;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  if (order === undefined || order.metadata.deletedAt !== undefined) {
    if (status.order !== undefined && status.lastFailure === undefined)
      return { state: 'working', text: 'preparing key and order' };
    if (ready?.status === 'True' && status.notAfter !== undefined) {
      const renewal = status.renewAt === undefined ? '' : `, renewed from ${minute(status.renewAt)} on`;
      return { state: 'ready', text: `valid until ${minute(status.notAfter)}${renewal}` };
    }
    if (status.lastFailure !== undefined)
      return { state: 'failed', text: sentence(status.lastFailure.reason, status.lastFailure.message) };
    if (ready === undefined) return { state: 'working', text: 'waiting for its issuer' };
    return { state: 'waiting', text: sentence(ready.reason, ready.message), since: ready.lastTransitionAt };
  }
  return describeOrderProgress(order);
}

function describeOrderProgress({ metadata, status }: Order): Progress {
  const { acme, challenges = [], waiting, failure, result } = status;
  const ca = acme === undefined ? 'the CA' : new URL(acme.orderURL).host;
  if (failure !== undefined || result === 'failed')
    return {
      state: 'failed',
      text: failure === undefined ? 'the order failed' : sentence(failure.reason, failure.message),
    };
  if (waiting !== undefined) {
    const since = earliest(challenges) ?? metadata.createdAt;
    return { state: 'waiting', text: sentence(waiting.reason, waiting.message), since };
  }
  if (result === 'valid') return { state: 'working', text: 'storing key and chain', since: metadata.createdAt };
  if (acme === undefined) return { state: 'working', text: 'placing the order', since: metadata.createdAt };
  const at = (...steps: ChallengeStatus['step'][]): readonly ChallengeStatus[] =>
    challenges.filter(({ step }) => steps.includes(step));
  const since = earliest(challenges) ?? metadata.createdAt;
  const responded = at('responded');
  if (acme.status === 'processing' || acme.status === 'ready' || acme.status === 'valid')
    return { state: 'working', text: `${ca} issues the certificate`, since };
  if (at('new').length > 0)
    return { state: 'working', text: `writing ${plural(at('new').length, 'TXT value')}${through(at('new'))}`, since };
  const unseen = at('presented');
  if (unseen.length > 0) return { state: 'working', text: `self check of ${placesOf(unseen)}`, since };
  if (responded.length > 0)
    return { state: 'working', text: `${ca} validates ${plural(responded.length, 'name')}`, since };
  return { state: 'working', text: `order ${acme.status} at ${ca}`, since };
}

/** The zones looked at, and the servers that still lack a value. */
function placesOf(challenges: readonly ChallengeStatus[]): string {
  const zones = [...new Set(challenges.map(({ zone, domain }) => zone ?? domain))].join(', ');
  const lacking = challenges.flatMap(
    ({ evidence }) => evidence?.servers.filter(({ finding }) => finding === 'lacks') ?? [],
  );
  const servers = [...new Set(lacking.map(({ server, address }) => `${server} ${address}`))];
  return servers.length === 0
    ? zones
    : `${zones}: waiting for ${servers.slice(0, 3).join(', ')}${servers.length > 3 ? ` and ${servers.length - 3} more` : ''}`;
}

function through(challenges: readonly ChallengeStatus[]): string {
  const providers = [...new Set(challenges.flatMap(({ provider }) => provider ?? []))];
  return providers.length === 0 ? '' : ` through ${providers.join(', ')}`;
}

function earliest(challenges: readonly ChallengeStatus[]): number | undefined {
  const times = challenges.flatMap(({ presentedAt }) => presentedAt ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

function sentence(reason: string, message: string): string {
  return printable(message === '' ? reason : `${reason}: ${message}`);
}

function plural(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

import { randomBytes } from 'node:crypto';
import {
  createPreflight,
  createSelfCheck,
  type Evidence,
  LocateError,
  type SelfCheck,
  type SelfCheckOptions,
} from '@zoneproof/core';
import { type DnsName, type DsData, toDnsName } from '@zoneproof/dns';
import { fastTime, onLoopback, type ScriptedResolver, scriptedNetwork } from '../scripted/index.ts';
import { type SelfCheckCase, sentencePattern } from './case.ts';
import { type CaseWorld, caseWorld, resolverAddress } from './world.ts';

/** What a check made of a case. */
export interface CaseResult {
  readonly verdict: string;
  readonly sentence: string;
  /** On the case's clock, from the value's publication to the verdict. */
  readonly tookMs: number;
  /** Of this machine's time, all in all. */
  readonly ms: number;
  readonly queries: number;
  /** Denials of challenges' names that a resolver keeps, because somebody asked it too early. */
  readonly plantedDenials: number;
  /** What does not hold besides. */
  readonly problem: string | undefined;
}

/**
 * Runs a case on sockets of its own, each server at an address of its own on loopback; unless wanted otherwise faster
 * than time is, and with less patience than in production.
 */
export async function runCase(one: SelfCheckCase, { inRealTime = false } = {}): Promise<CaseResult> {
  const time = fastTime(inRealTime ? 1 : (one.speed ?? 20));
  const net = scriptedNetwork({ place: onLoopback, now: time.now });
  const world = caseWorld({ net, now: time.now, timers: time, domain: one.domain ?? 'www.example.com' });
  const over = new AbortController();
  try {
    await net.resolve(resolverAddress);
    await one.set(world);
    const tryMs = inRealTime ? 2000 : (one.tryMs ?? 2000);
    const options: SelfCheckOptions = {
      resolvers: () => world.listed,
      finalResolvers: () => world.lastResolvers,
      mode: one.mode ?? 'auto',
      transport: net.transport,
      clock: time,
      timers: time,
      random: (length) => randomBytes(length),
      signal: over.signal,
      tryTimeoutMs: tryMs,
      hedgeMs: tryMs / 5,
    };
    const startedAt = performance.now();
    const told =
      one.judgedBy === 'preflight'
        ? await judge(world, options)
        : await watch(one, world, options, inRealTime ? longestMs : one.atMost.ms);
    return {
      ...told,
      ms: performance.now() - startedAt,
      queries: net.sent(),
      plantedDenials: plantedIn(world),
      problem: one.also?.(world),
    };
  } finally {
    over.abort(new Error('the case is over'));
    await world.close();
  }
}

const longestMs = 60_000;

type Told = Pick<CaseResult, 'verdict' | 'sentence' | 'tookMs'>;

/** As an order goes: the name's place first, then the value, then the watch. */
async function watch(
  one: SelfCheckCase,
  world: CaseWorld,
  options: SelfCheckOptions,
  patienceMs: number,
): Promise<Told> {
  const check = createSelfCheck(options);
  const values = [randomBytes(32).toString('base64url')];
  try {
    const location = await check.locate(world.challenge, new AbortController().signal);
    await world.publish(values);
    const presentedAt = world.now();
    const evidence = await untilTold(one, check, { key: one.title, location, values, presentedAt }, patienceMs);
    return {
      verdict: evidence?.verdict ?? 'waiting',
      sentence: evidence?.summary ?? '',
      tookMs: world.now() - presentedAt,
    };
  } catch (error) {
    if (!(error instanceof LocateError)) throw error;
    return { verdict: error.kind, sentence: error.message, tookMs: 0 };
  }
}

/** Until the value is visible, or the case's own sentence is said, or too much time has passed. */
function untilTold(
  one: SelfCheckCase,
  check: SelfCheck,
  wanted: Omit<Parameters<SelfCheck['watch']>[0], 'changed'>,
  patienceMs: number,
): Promise<Evidence | undefined> {
  return new Promise((resolve) => {
    const end = (evidence: Evidence | undefined) => {
      clearTimeout(late);
      check.unwatch(wanted.key);
      resolve(evidence);
    };
    const look = () => {
      const { state, evidence } = check.watch({ ...wanted, changed: look });
      const isSaid = evidence?.verdict === one.verdict && sentencePattern(one.sentence).test(evidence.summary);
      if (state === 'visible' || (isSaid && one.verdict !== 'visible')) end(evidence);
    };
    const late = setTimeout(() => {
      const { state, evidence } = check.watch({ ...wanted, changed: () => {} });
      end(evidence && state === 'waiting' && evidence.verdict === 'visible' ? undefined : evidence);
    }, patienceMs);
    look();
  });
}

async function judge(world: CaseWorld, options: SelfCheckOptions): Promise<Told> {
  const trustAnchors = world.anchors.map(readDs);
  const domain = world.challenge.replace('_acme-challenge.', '');
  const { findings } = await createPreflight({ ...options, trustAnchors }).check(
    { names: [domain] },
    new AbortController().signal,
  );
  const found = findings.find(({ id }) => id === 'dnssec');
  return { verdict: found?.result ?? 'none', sentence: found?.detail ?? '', tookMs: 0 };
}

/** `test. IN DS 4711 13 2 AB12...` */
function readDs(line: string): { readonly zone: DnsName; readonly ds: readonly DsData[] } {
  const [owner = '', ...rest] = line.split(/\s+/).filter((word) => word !== 'IN' && word !== 'DS');
  const [tag, algorithm, digestType, ...digest] = rest;
  return {
    zone: toDnsName(owner),
    ds: [
      {
        keyTag: Number(tag),
        algorithm: Number(algorithm),
        digestType: Number(digestType),
        digest: Buffer.from(digest.join(''), 'hex'),
      },
    ],
  };
}

function plantedIn({ net, guarded }: CaseWorld): number {
  return net.servers.flatMap(({ denials = [] }: Partial<ScriptedResolver>) =>
    denials.filter(({ name }) => guarded.has(name)),
  ).length;
}

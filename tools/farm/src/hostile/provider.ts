import {
  type CallContext,
  type ChangeOutcome,
  createEgress,
  type DnsProvider,
  type Egress,
  EgressError,
  type HttpAnswer,
  isProviderError,
  longestZone,
  ProviderError,
  type ProviderPlugin,
  providerTitle,
  type Receipt,
  type RecordTarget,
  SecretValue,
  type TxtChange,
  type Zone,
} from '@zoneproof/core';
import { DnsExchangeError, type DnsServer, type DnsTransport } from '@zoneproof/dns';
import type { Random } from '../fuzz.ts';
import { hostileAnswer } from './answers.ts';
import { hostileWire } from './wire.ts';

type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** As much of a provider's fixture as it takes to have the service's own answers. */
export interface AnsweringFixture {
  readonly config: object;
  readonly secrets: Secrets;
  readonly wrongSecrets?: Secrets;
  newTarget(): Promise<RecordTarget>;
}

/** A provider that reads hostile answers. */
export interface HostileWorld {
  /** One call of the provider. @returns how many answers it read @throws when it breaks its contract */
  call(random: Random): Promise<number>;
  /** Calls that came to a good end, and calls that did not. */
  readonly ended: { good: number; bad: number };
}

/** Has the provider work with its service, and keeps every answer as the pattern of hostile ones. */
export async function recordAnswers(plugin: ProviderPlugin, fixture: AnsweringFixture): Promise<HostileWorld> {
  const base = createEgress();
  const recorded = new Map<string, HttpAnswer[]>();
  const messages: { readonly query: Uint8Array; readonly answer: Uint8Array }[] = [];
  const keepMessage = async (query: Uint8Array, asked: Promise<Uint8Array>) => {
    const answer = await asked;
    messages.push({ query, answer });
    return answer;
  };
  const recording = (egress: Egress): Egress => ({
    ...egress,
    async http(request) {
      const answer = await egress.http(request);
      const place = placeOf(request);
      recorded.set(place, [...(recorded.get(place) ?? []), answer]);
      return answer;
    },
    dns: {
      udp: (server, query, ...more) => keepMessage(query, egress.dns.udp(server, query, ...more)),
      tcp: (server, query, call) => keepMessage(query, egress.dns.tcp(server, query, call)),
    },
    withCaBundle: (pem) => recording(egress.withCaBundle(pem)),
  });

  const target = await fixture.newTarget();
  const change = (state: TxtChange['state'], value: string): TxtChange => ({
    state,
    name: target.name,
    value: value.padEnd(43, '_'),
    ttl: plugin.capabilities.ttl.default,
    held: { values: [], ttl: undefined },
  });
  const batches = [
    [change('present', 'one')],
    [change('present', 'one'), change('present', 'two')],
    [change('absent', 'one')],
    [change('absent', 'two'), change('present', 'three')],
  ];
  const { config, secrets, wrongSecrets = secrets } = fixture;
  const receipts: Receipt[] = [];
  let zone: Zone | undefined;
  for (const known of [secrets, wrongSecrets]) {
    const provider = create(plugin, { config, secrets: known }, recording(base));
    const call = callUntil(AbortSignal.timeout(20_000));
    zone ??= await zoneOf(provider, target, call);
    if (zone === undefined) throw new Error(`no zone for ${target.name}`);
    await zoneOf(provider, target, call).catch(unlessProviderError);
    await provider.check(call);
    for (const changes of batches) {
      const outcomes = await provider.apply(zone, changes, call).catch(unlessProviderError);
      for (const one of outcomes ?? []) if (one.status === 'changed' && one.receipt) receipts.push(one.receipt);
    }
    for (const receipt of receipts) await provider.syncState?.(receipt, call).catch(unlessProviderError);
    await provider.close?.();
  }
  await base.close();
  return new Hostile(plugin, fixture, { recorded, messages, target, zone: zone as Zone, batches, receipts });
}

interface Known {
  readonly recorded: ReadonlyMap<string, readonly HttpAnswer[]>;
  readonly messages: readonly { readonly query: Uint8Array; readonly answer: Uint8Array }[];
  readonly target: RecordTarget;
  readonly zone: Zone;
  readonly batches: readonly (readonly TxtChange[])[];
  readonly receipts: readonly Receipt[];
}

/** More answers than this in one call, and the caller gives up. */
const maxAnswers = 100;
/** Calls of one provider object, which may keep tokens and clock offsets. */
const callsEach = 50;

class Hostile implements HostileWorld {
  readonly ended = { good: 0, bad: 0 };
  readonly #plugin: ProviderPlugin;
  readonly #fixture: AnsweringFixture;
  readonly #known: Known;
  readonly #all: readonly HttpAnswer[];
  readonly #secrets: readonly string[];
  #provider: DnsProvider | undefined;
  readonly #warned: string[] = [];
  #calls = 0;
  #answers = 0;
  #random: Random = () => 0;
  #stop = new AbortController();

  constructor(plugin: ProviderPlugin, fixture: AnsweringFixture, known: Known) {
    this.#plugin = plugin;
    this.#fixture = fixture;
    this.#known = known;
    this.#all = [...known.recorded.values()].flat();
    this.#secrets = Object.values(fixture.secrets).flatMap((entries) => Object.values(entries));
  }

  async call(random: Random): Promise<number> {
    this.#random = random;
    this.#answers = 0;
    this.#stop = new AbortController();
    if (this.#calls++ % callsEach === 0) {
      await this.#provider?.close?.();
      this.#provider = create(this.#plugin, this.#fixture, this.#egress(), (message) => this.#warned.push(message));
    }
    const provider = this.#provider as DnsProvider;
    try {
      this.ended[(await this.#one(provider, callUntil(this.#stop.signal))) ? 'good' : 'bad']++;
    } catch (error) {
      if (!isProviderError(error)) throw error;
      this.#heed(error);
      this.ended.bad++;
    }
    for (const message of this.#warned.splice(0)) this.#heedText(message);
    return this.#answers;
  }

  /** @returns false when a change failed */
  async #one(provider: DnsProvider, call: CallContext): Promise<boolean> {
    const { target, zone, batches, receipts } = this.#known;
    const random = this.#random;
    switch (random(5)) {
      case 0: {
        const found = await zoneOf(provider, target, call);
        if (found !== undefined && (typeof found.id !== 'string' || typeof found.name !== 'string'))
          throw new Error(`a zone of ${JSON.stringify(found)}`);
        return true;
      }
      case 1: {
        const receipt = receipts[random(receipts.length || 1)];
        if (receipt !== undefined) this.#heed(await provider.syncState?.(receipt, call));
        return true;
      }
      case 2: {
        const items = await provider.check(call).catch((error: unknown) => {
          throw new Error(`C1: check threw ${error}`, { cause: error });
        });
        for (const item of items) this.#heedText(item.detail);
        return true;
      }
      default: {
        const changes = batches[random(batches.length)] as readonly TxtChange[];
        const outcomes = await provider.apply(zone, changes, call);
        if (outcomes.length !== changes.length) throw new Error(`A3: ${outcomes.length} outcomes`);
        for (const outcome of outcomes) this.#heedOutcome(outcome);
        return !outcomes.some((outcome) => 'error' in outcome);
      }
    }
  }

  #heedOutcome(outcome: ChangeOutcome): void {
    if (!('error' in outcome)) this.#heed(outcome);
    else if (isProviderError(outcome.error)) this.#heed(outcome.error);
    else throw new Error(`E1: ${outcome.error}`, { cause: outcome.error });
  }

  #heed(said: unknown): void {
    if (isProviderError(said)) this.#heedText(said.message);
    const text = JSON.stringify(isProviderError(said) ? said.details : said) ?? '';
    if (this.#secrets.some((secret) => text.includes(secret))) throw new Error('E2: it says a secret');
  }

  /** Fit for a log and a condition: one line of bounded length. */
  #heedText(text: string): void {
    if (text.length > 3000 || /[\p{Cc}\u2028\u2029]/u.test(text))
      throw new Error(`told as ${JSON.stringify(text.slice(0, 500))}`);
    if (this.#secrets.some((secret) => text.includes(secret))) throw new Error('E2: it says a secret');
  }

  #count(): void {
    this.#answers++;
    if (this.#answers > maxAnswers) this.#stop.abort(new Error('that is enough'));
    if (this.#answers > 2 * maxAnswers) throw new Error('it asks on and on after its signal has fired');
  }

  #egress(): Egress {
    const base = createEgress();
    const pick = <T>(from: readonly T[]) => from[this.#random(from.length || 1)];
    const egress: Egress = {
      ...base,
      http: async (request) => {
        this.#count();
        if (this.#stop.signal.aborted) throw new EgressError('aborted', 'stopped', false);
        const random = this.#random;
        const right = (random(20) > 0 && pick(this.#known.recorded.get(placeOf(request)) ?? [])) || pick(this.#all);
        if (right === undefined) throw new EgressError('unreachable', 'nobody is there', false);
        return random(3) === 0 ? right : hostileAnswer(right, random);
      },
      dns: this.#dns(),
      withCaBundle: () => egress,
    };
    return egress;
  }

  #dns(): DnsTransport {
    const answer = (query: Uint8Array) => {
      this.#count();
      const { messages } = this.#known;
      return hostileWire(query, messages, this.#random);
    };
    const silent = (server: DnsServer, over: 'udp' | 'tcp') =>
      new DnsExchangeError('timeout', server, over, 'no answer', { sent: true });
    return {
      udp: async (server, query, accept) => {
        for (let datagrams = 1 + this.#random(3); datagrams > 0; datagrams--) {
          const wire = answer(query);
          if (wire !== undefined && accept(wire)) return wire;
        }
        throw silent(server, 'udp');
      },
      tcp: async (server, query) => {
        const wire = answer(query);
        if (wire === undefined) throw silent(server, 'tcp');
        return wire;
      },
    };
  }
}

function placeOf({ method, url }: { readonly method: string; readonly url: string }): string {
  return `${method} ${new URL(url).pathname}`;
}

function create(
  plugin: ProviderPlugin,
  { config, secrets }: Pick<AnsweringFixture, 'config' | 'secrets'>,
  egress: Egress,
  warn: (message: string) => void = () => undefined,
): DnsProvider {
  return plugin.create(config as Parameters<ProviderPlugin['create']>[0], {
    providerName: providerTitle(plugin, 'fuzz'),
    egress,
    dns: egress.dns,
    clock: { now: () => Date.now() },
    random: (length) => new Uint8Array(length).map((_, at) => at),
    secret: (ref) => ({
      get: async () => {
        const text = secrets[ref.name]?.[ref.key];
        if (text !== undefined) return new SecretValue(Buffer.from(text));
        throw new ProviderError({ kind: 'auth', message: `Secret "${ref.name}" has no entry "${ref.key}"` });
      },
    }),
    warn,
  });
}

function callUntil(signal: AbortSignal): CallContext {
  return {
    signal,
    deadlineAt: Date.now() + 60_000,
    async permit() {
      if (signal.aborted) throw new ProviderError({ kind: 'aborted', message: 'stopped while waiting for a permit' });
    },
  };
}

async function zoneOf(provider: DnsProvider, target: RecordTarget, call: CallContext): Promise<Zone | undefined> {
  if (provider.findZone) return provider.findZone(target, call);
  const found = longestZone(target.name, (await provider.listZones?.(call)) ?? []);
  return found === undefined || 'ambiguous' in found ? undefined : found;
}

function unlessProviderError(error: unknown): undefined {
  if (!isProviderError(error)) throw error;
}

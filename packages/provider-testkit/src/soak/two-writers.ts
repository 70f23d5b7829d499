import type { Clock, ProviderPlugin } from '@zoneproof/core';
import type { Fixture } from '../conformance/fixture.ts';
import { type Disturbance, quietMs } from './disturbance.ts';
import { FastTime } from './fast-time.ts';
import { WritingHost } from './host.ts';
import { Order, type OrderLab, type Wanted } from './order.ts';
import { Place } from './place.ts';
import { SeededRandom } from './random.ts';
import { Witness } from './witness.ts';

export interface TwoWritersOptions {
  readonly plugin: ProviderPlugin;
  /** Starts the service. `clock` runs as fast as the hosts' clock does, for services that do things by the second. */
  startFixture(clock: Clock): Promise<SoakFixture>;
  /** How long values are written before all is taken away; the first violation ends it. */
  readonly seconds: number;
  /** Decides on names, values, faults and crashes; what happens at the same instant is up to the machine. */
  readonly seed: number;
}

export interface SoakFixture {
  readonly fixture: Fixture;
  readonly disturbances?: readonly Disturbance[];
  /** What providers take the time from, for signatures and ages; default: the world's. */
  readonly clock?: Clock;
  /** Called when writing ends: does what errors have asked a person for, so that all can be taken away. */
  readonly heedErrors?: () => void;
}

/** What two writers did, and what was wrong with it. */
export interface TwoWritersReport {
  /** What broke a promise; empty when all is well. */
  readonly violations: readonly string[];
  /** Orders that ran from their first write to their clean-up. */
  readonly orders: number;
  /** Values that stood for a while, all the time where they had to. */
  readonly held: number;
  /** Model `slots`: how often a value was written again, since the other host's had taken its slot. */
  readonly evicted: number;
  readonly crashes: number;
  /** Comparisons of a name with what ought to stand there. */
  readonly looks: number;
  /** Disturbances begun, by name. */
  readonly disturbed: Readonly<Record<string, number>>;
}

/** How much faster than the world the hosts' clock is. */
const pace = 20;
const ordersAtOnce = 4;
const sharedPlaces = 2;
const ownPlaces = 2;
const foreignAtMost = 3;
const foreignTtl = 3_600;
const cleanUpMs = 15_000;

/**
 * Two controllers that know nothing of each other write values at the same names and at names of their own, while
 * requests fail in all sorts of ways, another writer comes in between, and now and then one of the two is killed and a
 * new one goes on from its ledger. In the end everything is taken away. Compared with what stands in the zones:
 *
 * - a value whose owner wants it and got `done` (and `synced`) for it is there, one that was removed is not
 * - values of others stay, and so does the TTL of their RRset
 * - what a killed process may have written is in its ledger
 * - afterwards nothing of either is left, neither in zones nor in ledgers; no secret is printed
 *
 * Model `slots`: an account has two slots for whoever has its password. Values of one host keep their slots; where both
 * hosts write, each value gets seen and slots are released, and no more is promised.
 */
export async function twoWriters({
  plugin,
  startFixture,
  seconds,
  seed,
}: TwoWritersOptions): Promise<TwoWritersReport> {
  const time = new FastTime(pace);
  const started = await startFixture(time);
  try {
    return await new Soak(plugin, started, time, seed).run(seconds);
  } finally {
    await started.fixture.close();
  }
}

class Soak {
  readonly #plugin: ProviderPlugin;
  readonly #fixture: Fixture;
  readonly #disturbances: readonly Disturbance[];
  readonly #hasForeign: boolean;
  readonly #heedErrors: () => void;
  /** Orders that a person has to help. */
  readonly #stuck: Order[] = [];
  readonly #time: FastTime;
  readonly #seed: number;
  readonly #witness: Witness;
  readonly #hosts: readonly [WritingHost, WritingHost];
  readonly #shared: Place[] = [];
  readonly #own: [Place[], Place[]] = [[], []];
  readonly #retired: Place[] = [];
  readonly #tally = { orders: 0, held: 0, evicted: 0, crashes: 0 };
  readonly #disturbed: Record<string, number> = {};
  #open = true;
  #giveUpAt = Number.POSITIVE_INFINITY;

  constructor(plugin: ProviderPlugin, started: SoakFixture, time: FastTime, seed: number) {
    const { fixture, disturbances = [], clock = { now: () => Date.now() }, heedErrors = () => undefined } = started;
    this.#heedErrors = heedErrors;
    // Another writer at an account with slots is one that evicts.
    this.#hasForeign = plugin.capabilities.model !== 'slots';
    this.#plugin = plugin;
    this.#fixture = fixture;
    this.#disturbances = disturbances;
    this.#time = time;
    this.#seed = seed;
    this.#witness = new Witness(fixture, plugin);
    const host = (name: string) =>
      new WritingHost(name, { fixture, plugin, time, clock }, (said) => this.#witness.hear(said));
    this.#hosts = [host('one'), host('two')];
  }

  async run(seconds: number): Promise<TwoWritersReport> {
    const random = this.#random(0);
    for (let i = 0; i < sharedPlaces; i++) this.#shared.push(await this.#newPlace(random));
    for (const own of this.#own) for (let i = 0; i < ownPlaces; i++) own.push(await this.#newPlace(random));

    const ending = setTimeout(() => this.#end(), seconds * 1000);
    try {
      await Promise.all([
        ...([0, 1] as const).flatMap((host) =>
          Array.from({ length: ordersAtOnce }, (_, lane) => this.#takeOrders(host, lane)),
        ),
        this.#disturb(),
        this.#kill(),
        this.#watch(),
        this.#renewPlaces(),
      ]);
      await Promise.all(this.#stuck.map((order) => order.takeOut()));
      for (const place of this.#places()) await this.#witness.look(place);
      for (const { name, ledger } of this.#hosts)
        if (ledger.entries().length > 0)
          this.#witness.tell(`the ledger of ${name} has ${ledger.entries().length} open entries`);
    } finally {
      clearTimeout(ending);
      this.#end();
      await Promise.all(this.#hosts.map((host) => host.close()));
    }
    const { violations, looks } = this.#witness;
    return { violations, ...this.#tally, looks, disturbed: this.#disturbed };
  }

  #end(): void {
    if (this.#open) this.#heedErrors();
    this.#open = false;
    this.#giveUpAt = Math.min(this.#giveUpAt, Date.now() + cleanUpMs);
  }

  async #takeOrders(index: 0 | 1, lane: number): Promise<void> {
    const random = this.#random(10 + 10 * index + lane);
    const host = this.#hosts[index];
    const isSlots = this.#plugin.capabilities.model === 'slots';
    const lab: OrderLab = {
      time: this.#time,
      random,
      witness: this.#witness,
      isOpen: () => this.#open,
      giveUpAt: () => this.#giveUpAt,
    };
    for (let count = 0; this.#open; count++) {
      const contested = random.chance(0.7);
      const places = contested ? this.#shared : this.#own[index];
      const first = random.pick(places);
      const wanted = [this.#want(host, first, random)];
      // Apex and wildcard of one order share a name; other names of it may lie in the same zone.
      if (!(isSlots && contested) && random.chance(0.4))
        wanted.push(this.#want(host, isSlots || random.chance(0.5) ? first : random.pick(places), random));
      const order = new Order(host, `soak/${host.name}-${lane}-${count}`, wanted, lab);
      const { clean, held, evicted } = await order.live({ contested: isSlots && contested });
      if (!clean) this.#stuck.push(order);
      this.#tally.orders++;
      this.#tally.held += held;
      this.#tally.evicted += evicted;
    }
  }

  #want(host: WritingHost, place: Place, random: SeededRandom): Wanted {
    return { place, claim: place.claim(host.name, challengeValue(random)) };
  }

  /** One disturbance after the other, with quiet times between. */
  async #disturb(): Promise<void> {
    const random = this.#random(1);
    while (this.#open && this.#disturbances.length > 0) {
      const one = random.pick(this.#disturbances);
      this.#disturbed[one.name] = (this.#disturbed[one.name] ?? 0) + 1;
      const end = one.begin(() => this.#plant(random.pick(this.#shared), random));
      await pause(random.between(20, quietMs));
      end();
      await pause(random.between(0, quietMs));
    }
  }

  async #kill(): Promise<void> {
    const random = this.#random(2);
    for (;;) {
      await pause(random.between(300, 900));
      if (!this.#open) return;
      const host = random.pick(this.#hosts);
      await host.crash(async () => {
        await pause(quietMs);
        await this.#compareWithLedger(host);
      });
      this.#tally.crashes++;
    }
  }

  /** Whatever a killed process may have written and not taken away again has to be in its ledger. */
  async #compareWithLedger({ name, ledger }: WritingHost): Promise<void> {
    if (this.#plugin.capabilities.model === 'slots') return;
    const recorded = new Set(ledger.entries().map((entry) => entry.value));
    for (const place of this.#places()) {
      const wanted = place.claims.filter(({ host, state }) => host === name && (state === 'asked' || state === 'held'));
      if (wanted.length === 0) continue;
      const there = new Set((await this.#fixture.observe(place.target.name)).values);
      for (const { value } of wanted)
        if (there.has(value) && !recorded.has(value))
          this.#witness.tell(`${place.target.name} ${value}: not in the ledger of ${name}, which was killed`);
    }
  }

  async #watch(): Promise<void> {
    while (this.#open)
      for (const place of [...this.#shared, ...this.#own.flat()]) {
        await this.#witness.look(place);
        if (this.#witness.violations.length > 0) this.#end();
        await pause(2);
      }
  }

  /** Names that were in use for a while make room for new ones; others plant values meanwhile. */
  async #renewPlaces(): Promise<void> {
    const random = this.#random(3);
    for (let turn = 0; ; turn++) {
      await pause(400);
      if (!this.#open) return;
      const places = random.pick([this.#shared, this.#shared, ...this.#own]);
      if (random.chance(0.5)) await this.#plant(random.pick(places), random);
      if (turn % 2 === 0) {
        const fresh = await this.#newPlace(random);
        const [old] = places.splice(0, 1, fresh);
        if (old !== undefined) this.#retired.push(old);
        places.push(places.shift() as Place);
      }
    }
  }

  async #newPlace(random: SeededRandom): Promise<Place> {
    const place = new Place(await this.#fixture.newTarget());
    if (this.#hasForeign && random.chance(0.5)) {
      await this.#plant(place, random, foreignTtl);
      place.ttl = (await this.#fixture.observe(place.target.name)).ttl;
    }
    return place;
  }

  /** Another writer adds a value; with the TTL of the set, since two in one set say nothing about who changed it. */
  async #plant(
    place: Place,
    random: SeededRandom,
    ttl = place.ttl ?? this.#plugin.capabilities.ttl.default,
  ): Promise<void> {
    if (!this.#hasForeign || place.expected.size >= foreignAtMost) return;
    const value = challengeValue(random);
    place.expected.add(value);
    await this.#fixture.plant(place.target.name, value, ttl);
    place.foreign.add(value);
  }

  #places(): readonly Place[] {
    return [...this.#shared, ...this.#own.flat(), ...this.#retired];
  }

  #random(stream: number): SeededRandom {
    return new SeededRandom(this.#seed * 1000 + stream);
  }
}

/** As a challenge has it: 43 characters of base64url (RFC 8555 8.4). */
function challengeValue(random: SeededRandom): string {
  return Buffer.from(random.bytes(32)).toString('base64url');
}

/** Of the world's time. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

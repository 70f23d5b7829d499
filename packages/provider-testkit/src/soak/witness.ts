import type { ProviderPlugin } from '@zoneproof/core';
import type { Fixture } from '../conformance/fixture.ts';
import { printed, secretForms } from '../conformance/printed.ts';
import type { Claim, Place } from './place.ts';

/** Looks at names past the provider, listens to what is said, and keeps what is wrong. */
export class Witness {
  readonly violations: string[] = [];
  looks = 0;
  readonly #fixture: Fixture;
  readonly #plugin: ProviderPlugin;

  constructor(fixture: Fixture, plugin: ProviderPlugin) {
    this.#fixture = fixture;
    this.#plugin = plugin;
  }

  /** Compares what stands at the name with what ought to, as far as both stayed the same meanwhile. */
  async look(place: Place): Promise<readonly string[]> {
    const before = new Map<Claim, Claim['state']>(place.claims.map((claim) => [claim, claim.state]));
    const foreign = [...place.foreign];
    const { values, ttl } = await this.#fixture.observe(place.target.name);
    this.looks++;
    const there = new Set(values);
    for (const [claim, state] of before) {
      if (state !== claim.state) continue;
      if (state === 'held' && !there.has(claim.value)) this.#tell(place, claim.value, `value of ${claim.host} is lost`);
      // Nothing can be deleted from slots.
      if (state === 'gone' && there.has(claim.value) && this.#plugin.capabilities.model !== 'slots')
        this.#tell(place, claim.value, `value that ${claim.host} removed is there`);
    }
    for (const value of foreign) if (!there.has(value)) this.#tell(place, value, 'foreign value is lost');
    const known = new Set([...place.expected, ...place.claims.map((claim) => claim.value)]);
    for (const value of values) if (!known.has(value)) this.#tell(place, value, 'nobody wrote this value');
    // In model `record` each value has a TTL of its own: that of the others shows when nothing of ours is there.
    const isOurs = this.#plugin.capabilities.model === 'record' && values.some((value) => !place.expected.has(value));
    if (place.ttl !== undefined && ttl !== place.ttl && !isOurs)
      this.#tell(place, `TTL ${ttl}`, `TTL was ${place.ttl} before`);
    return values;
  }

  /** Anything a person could get to see. */
  hear(said: unknown): void {
    const text = printed(said);
    const secrets = [
      ...Object.values(this.#fixture.secrets).flatMap((entries) => Object.values(entries)),
      ...(this.#fixture.canaries ?? []),
    ];
    if (secrets.some((secret) => secretForms(secret).some((form) => form !== '' && text.includes(form))))
      this.violations.push('a secret was printed');
  }

  tell(violation: string): void {
    this.violations.push(violation);
  }

  #tell(place: Place, about: string, what: string): void {
    if (place.told.has(`${about} ${what}`)) return;
    place.told.add(`${about} ${what}`);
    this.violations.push(`${place.target.name} ${about}: ${what}`);
  }
}

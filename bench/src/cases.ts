import { certbot } from './certbot.ts';
import type { Client } from './client.ts';
import { lego, legoAsItComes } from './lego.ts';
import { zoneproof } from './zoneproof.ts';

/** One measurement, on servers of its own. */
export interface Case {
  readonly title: string;
  readonly client: Client;
  readonly certificates: number;
  readonly namesEach: number;
  /** Processes at once. */
  readonly parallel: number;
  /** Percentage of good nonces that the CA refuses. */
  readonly badNonces: number;
  /** How often it is repeated; the table shows the medians. */
  readonly times: number;
}

/** Everything that is compared, or a small form of it. */
export function casesOf(client: Client, quick: boolean): readonly Case[] {
  const many = quick ? 20 : 100;
  const few = quick ? 2 : 5;
  const one: Case = {
    title: '1 certificate',
    client,
    certificates: 1,
    namesEach: 1,
    parallel: 1,
    badNonces: 0,
    times: quick ? 1 : 5,
  };
  const all: Case = { ...one, title: `${many} certificates`, certificates: many, times: 1 };
  const big: Case = { ...one, title: `1 with ${many} names`, namesEach: many, times: 1 };
  const atOnce = Math.min(16, many);
  const badNonces = (found: Case) => ({ ...found, title: `${found.title}, 5 % bad nonces`, badNonces: 5 });
  switch (client) {
    case zoneproof:
      return [all, one, big, badNonces(all), badNonces({ ...big, times: quick ? 1 : 4 })];
    case certbot:
      return [
        { ...all, title: `${few} certificates`, certificates: few },
        { ...all, parallel: atOnce },
        one,
        big,
        badNonces({ ...all, parallel: atOnce }),
        badNonces({ ...big, times: quick ? 1 : 4 }),
      ];
    case lego:
    case legoAsItComes: {
      // 100 processes without waits make pebble 2.10.1 lock itself up: requests then end after lego's 30 s.
      const shared = [
        { ...all, title: `${few} certificates`, certificates: few },
        { ...all, parallel: atOnce },
        { ...all, parallel: many },
        one,
      ];
      // With its own pauses a certificate of 100 names takes it more than an hour.
      if (client === legoAsItComes) return shared;
      return [...shared, big, badNonces({ ...all, parallel: atOnce }), badNonces(big)];
    }
    default:
      throw new Error(`no cases for ${client.name}`);
  }
}

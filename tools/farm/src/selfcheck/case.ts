import type { RealServer } from '../tools.ts';
import type { CaseWorld } from './world.ts';

/** One thing that happens to a self check in the DNS as it is, with what the check has to make of it. */
export interface SelfCheckCase {
  /** What is special, in a few words; tells cases apart. */
  readonly title: string;
  readonly stands: string;
  readonly asked: string;
  /** The certificate's name, default `www.example.com`. */
  readonly domain?: string;
  /** Default `auto`. */
  readonly mode?: 'auto' | 'authoritative' | 'listed-only';
  readonly judgedBy?: 'preflight';
  /** `visible`, `missing`, `unreachable` of evidence, the problem of a name without a place, or a finding's result. */
  readonly verdict: string;
  /** The sentence for people; `…` stands for any text. */
  readonly sentence: string;
  /**
   * Whether a CA finds the value, where that is not what the verdict says: a check sees only what can be seen from
   * here, and is careful. Undefined in it: that depends.
   */
  readonly forTheCa?: { readonly finds: boolean | undefined; readonly because: string };
  /** The earliest that `visible` is right, in milliseconds after the value was published. */
  readonly notBeforeMs?: number;
  readonly atMost: {
    /** Queries that are sent, over UDP and TCP. */
    readonly queries: number;
    /** Of this machine's time, all in all. */
    readonly ms: number;
  };
  /** Denials of the challenge's name that a resolver keeps in the end, default none: nobody asked too early. */
  readonly plants?: number;
  /** How long one try of one question waits, default 2000; less where it is about silence. */
  readonly tryMs?: number;
  /** How many times as fast as it does time runs, default 20. */
  readonly speed?: number;
  /** Real servers that it takes. */
  readonly real?: readonly RealServer[];
  /** Why lego's own check cannot be put to it. */
  readonly notForLego?: string;
  readonly set: (world: CaseWorld) => Promise<void>;
  /** What else has to hold at the end; a text says what does not. */
  readonly also?: (world: CaseWorld) => string | undefined;
}

/** `2 of 2 authoritative servers of example.com have the value at ...`. */
export function visibleAt(servers: string, name = '_acme-challenge.www.example.com', zone = 'example.com'): string {
  const [total] = servers.split(' ').slice(-1);
  const [good] = servers.split(' ');
  const has = good === '1' ? 'has' : 'have';
  return `${servers} authoritative server${total === '1' ? '' : 's'} of ${zone} ${has} the value at ${name}`;
}

/** The same where one of the servers is of no use. */
export function visibleBut(servers: string, who: string): string {
  const advice = "repair it or take it out of the zone's NS records, since the CA may ask there";
  return `${visibleAt(servers)}; no usable answer from ${who}: ${advice}`;
}

/** The pattern of a case's sentence. */
export function sentencePattern(sentence: string): RegExp {
  const parts = sentence.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

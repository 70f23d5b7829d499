import type { Clock, ProviderPlugin } from '@zoneproof/core';
import type { DnsTransport } from '@zoneproof/dns';
import type { EffectHook } from '../effects/effects.ts';
import { createStyle, type Style } from './terminal/style.ts';

/** Where text goes: process.stdout, or whatever a test collects it in. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** What a command gets from outside; the defaults are those of the process. */
export interface Inputs {
  readonly stdout?: Output;
  readonly stderr?: Output;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How DNS servers are reached. An input of the sandbox, tests and benchmarks; there is no option for it. */
  readonly transport?: DnsTransport;
  /** Called around each effect. */
  readonly hook?: EffectHook;
  /** Providers to use in place of the installed packages. */
  readonly plugins?: readonly ProviderPlugin[];
  /** Ends the command as SIGINT would. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

export interface CommandContext {
  readonly out: Output;
  readonly err: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly style: Style;
  readonly clock: Clock;
  readonly inputs: Inputs;
}

export function createContext(inputs: Inputs): CommandContext {
  const out = inputs.stdout ?? process.stdout;
  const env = inputs.env ?? process.env;
  return {
    out,
    err: inputs.stderr ?? process.stderr,
    env,
    style: createStyle(out, env),
    clock: inputs.clock ?? { now: () => Date.now() },
    inputs,
  };
}

/** Wrong usage: told without a stack, exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Something did not succeed for a reason a person can read: exit code 1. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandError';
  }
}

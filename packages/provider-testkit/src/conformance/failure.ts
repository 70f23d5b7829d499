import { fileURLToPath } from 'node:url';
import { inspect, types } from 'node:util';
import { isProviderError } from '@zoneproof/core';

const kit = fileURLToPath(new URL('../..', import.meta.url));

/**
 * What a failed test of the suite says to the author of a provider: the finding in a few lines, and of the trace what is
 * not the kit's own. jest would show the kit's source instead, once for each test.
 */
export function failureOf(error: unknown): unknown {
  if (!types.isNativeError(error)) return error;
  const failure = error as Failure;
  if (isProviderError(error))
    return finding(`${error.message}\n\n  a ProviderError of kind ${error.kind}, ${placeOf(error)}`);
  if (failure.code === 'ERR_ASSERTION') return finding(textOf(failure));
  failure.stack = withoutKit(failure.stack ?? failure.message);
  return failure;
}

/** Without a trace, jest prints the text and nothing else. */
function finding(text: string): Error {
  return Object.assign(new Error(text), { stack: text });
}

/** The line of the trace where somebody else's code threw it: `at apply (/home/me/provider/dist/provider.js:12:3)`. */
export function placeOf({ stack = '' }: Error): string {
  return stack.split('\n').find(isTheirs)?.trim() ?? 'at a place that its trace does not tell';
}

interface Failure extends Error {
  readonly code?: string;
  readonly operator?: string;
  readonly expected?: unknown;
  readonly actual?: unknown;
}

function textOf({ message, operator, expected, actual }: Failure): string {
  if (operator === '==' || operator === 'fail' || operator === undefined) return message;
  // What follows is a comparison of Node's, of several lines, which differs from version to version.
  const [line = ''] = message.split('\n');
  const shown = (value: unknown): string => inspect(value, { breakLength: Number.POSITIVE_INFINITY });
  return `${line}\n\n  expected  ${shown(expected)}\n  received  ${shown(actual)}`;
}

/** All of it where nobody else's frame would be left: then it is the kit that is at fault. */
function withoutKit(stack: string): string {
  const lines = stack.split('\n');
  return lines.some(isTheirs) ? lines.filter((line) => !line.includes(kit)).join('\n') : stack;
}

function isTheirs(line: string): boolean {
  return /^\s+at /.test(line) && !line.includes(kit) && !/node:|node_modules|<anonymous>/.test(line);
}

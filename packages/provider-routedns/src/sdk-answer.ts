import { isProviderError, oneLine, ProviderError } from '@zoneproof/core';
import { answerError, type ErrorContext, type RefusingAnswer } from './errors.ts';
import type { Exchange } from './sdk.ts';

/**
 * What an SDK call threw, as a ProviderError: what the way out threw comes through as it is. Nothing of the SDK's error
 * is kept but its code and its sentence, since it carries requests with their headers.
 */
export function refusalOf(error: unknown, { answer, failure }: Exchange, context: ErrorContext): ProviderError {
  if (isProviderError(failure)) return failure;
  if (isProviderError(error)) return error;
  if (answer !== undefined) return answerError(readRefusal(error, answer), context);
  const name = error instanceof Error ? error.name : typeof error;
  return new ProviderError({
    kind: 'invalid',
    message: `${context.providerName}: ${context.what} could not be put into a request (${name}). Check the fields of the block.`,
    sent: false,
  });
}

/** Code and sentence of an SDK error. */
export function readRefusal(error: unknown, { status, headers }: NonNullable<Exchange['answer']>): RefusingAnswer {
  const { name = '', message, $metadata, Code, Messages } = error as Partial<SdkError>;
  // Without a code the SDK calls an error Unknown; what it could not parse is no error of its own types.
  const isOfAws = status >= 300 && name !== 'Unknown' && (Code !== undefined || $metadata?.requestId !== undefined);
  const code = Messages !== undefined ? 'InvalidChangeBatch' : isOfAws ? (Code ?? name) : '';
  return {
    status,
    code: typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : '',
    message: Messages === undefined ? textOf(message) : messagesOf(error).join(', '),
    requestId: oneLine($metadata?.requestId) || undefined,
    headers,
  };
}

/** The sentences of an InvalidChangeBatch in either of its forms: one text, or a list as in the API reference. */
export function messagesOf(error: unknown): readonly string[] {
  const { message, messages = [], Messages } = error as Partial<SdkError>;
  const list = [Messages?.Message ?? []].flat().filter((one) => typeof one === 'string');
  if (list.length > 0) return list;
  return messages.length > 0 ? messages : [textOf(message)];
}

/** What stands where AWS puts a sentence may be an element with others in it. */
function textOf(said: unknown): string {
  return typeof said === 'string' ? said : '';
}

interface SdkError {
  readonly name: string;
  readonly message: string;
  readonly Code: string;
  readonly messages: readonly string[];
  readonly Messages: { readonly Message?: string | readonly string[] };
  readonly $metadata: { readonly requestId?: string };
}

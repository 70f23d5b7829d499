import type { ApiAnswer } from '../emulator/index.ts';

/** A request that the API refuses; one of its answers. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  /** The reason behind a general code: 6003 -> 6111. */
  readonly reason: { readonly code: number; readonly message: string } | undefined;

  constructor(status: number, code: number, message: string, reason?: Refusal['reason']) {
    super(message);
    this.status = status;
    this.code = code;
    this.reason = reason;
  }
}

/** One page of a list, as it was asked for. */
export interface Page {
  readonly page: number;
  readonly perPage: number;
}

// https://developers.cloudflare.com/fundamentals/api/how-to/make-api-calls/ (the envelope of every answer)
export function success(result: unknown): ApiAnswer {
  return { status: 200, body: { result, success: true, errors: [], messages: [] } };
}

/** The page of `rows` that was asked for, with `result_info`. */
export function listed(rows: readonly object[], { page, perPage }: Page): ApiAnswer {
  const result = rows.slice((page - 1) * perPage, page * perPage);
  const info = {
    page,
    per_page: perPage,
    count: result.length,
    total_count: rows.length,
    total_pages: Math.ceil(rows.length / perPage),
  };
  return { status: 200, body: { result, result_info: info, success: true, errors: [], messages: [] } };
}

export function refused({ status, code, message, reason }: Refusal): ApiAnswer {
  const error = reason === undefined ? { code, message } : { code, message, error_chain: [reason] };
  return { status, body: { result: null, success: false, errors: [error], messages: [] } };
}

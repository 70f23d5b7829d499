/** A request as an emulator gets it. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query as sent, for signatures: `/2013-04-01/hostedzone?maxitems=100`. */
  readonly target: string;
  /** Path without the query, not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Its answer; an object as body goes out as JSON. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
}

/** What an emulator keeps of each request, for counting. */
export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  /** The vendor's name for the call: `ChangeResourceRecordSets`. */
  readonly action: string;
  /** As answered; 0 where no answer was sent. */
  readonly status: number;
}

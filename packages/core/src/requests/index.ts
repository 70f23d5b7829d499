export { type ApiRequests, createApiRequests, type RequestLimits } from './api-requests.ts';
export { checkFailure } from './check-failure.ts';
export { clockOffsetMs, describeOffset, headerOf } from './headers.ts';
export { jsonObject } from './json-object.ts';
export { retryAfterMs } from './retry-after.ts';
export { oneLine } from './vendor-text.ts';

export { type ApiRequests, createApiRequests, type RequestLimits } from './api-requests.ts';
export { retryAfterMs } from './retry-after.ts';
export { oneLine } from './vendor-text.ts';

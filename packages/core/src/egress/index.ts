export { type AddressRule, isAddressDenied, type LookupHostAddresses } from './address-guard.ts';
export { createEgress, type EgressOptions } from './create-egress.ts';
export {
  type Egress,
  EgressError,
  type EgressErrorKind,
  type HttpAnswer,
  type HttpRequest,
  isEgressError,
} from './egress.ts';
export { createFetch } from './egress-fetch.ts';
export type { ProxySettings } from './proxy.ts';
export { refuseAllEgress } from './refuse-all.ts';

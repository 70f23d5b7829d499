export { type Egress, EgressError, type EgressErrorKind, type HttpAnswer, type HttpRequest } from './egress.ts';

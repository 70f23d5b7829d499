export { type Egress, EgressError, type HttpAnswer, type HttpRequest } from './egress.ts';

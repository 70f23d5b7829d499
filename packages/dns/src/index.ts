export { child, type DnsName, DnsNameError, isWithin, labelsOf, parentOf, toDnsName } from './name.ts';
export { type DnsServer, type DnsTransport, mapTransport, type TransportCall } from './transport.ts';

export type { Opcode, Rcode, RecordClass, RecordType } from './codes.ts';
export { decodeMessage } from './decode.ts';
export { defaultUdpSize, encodeMessage, encodeQuery } from './encode.ts';
export { type Exchange, type ExchangeOptions, exchange } from './exchange.ts';
export { DnsExchangeError, type DnsExchangeErrorKind, type DnsTransportName } from './exchange-error.ts';
export {
  type AddressRecord,
  DnsDecodeError,
  DnsEncodeError,
  type DnsMessage,
  type DnsQuestion,
  type DnsRecord,
  type Edns,
  type ExtendedError,
  type NameRecord,
  type RawRecord,
  type SoaData,
  type SoaRecord,
  type TxtRecord,
  txtValue,
} from './message.ts';
export { child, type DnsName, DnsNameError, isWithin, labelsOf, parentOf, toDnsName } from './name.ts';
export { notAuthMeaning, sendUpdate, type UpdateOptions, type UpdateReply } from './send-update.ts';
export { formatServer, parseServer } from './server.ts';
export { refusingTransport, systemTransport } from './system-transport.ts';
export { type DnsServer, type DnsTransport, mapTransport, type TransportCall } from './transport.ts';
export { signMessage, type TsigCheck, verifyResponse } from './tsig.ts';
export { createTsigKey, type TsigAlgorithm, type TsigKey, tsigAlgorithms } from './tsig-key.ts';
export { tsigErrors } from './tsig-record.ts';
export { type RequestCheck, signResponse, verifyRequest } from './tsig-server.ts';
export { encodeUpdate, toStrings, type UpdateRecord } from './update.ts';

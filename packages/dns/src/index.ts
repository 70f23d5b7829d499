export { type CaaDenial, type CaaIssuer, type CaaRequest, type CaaVerdict, judgeCaa, parseCaaIssuer } from './caa.ts';
export type { Opcode, Rcode, RecordClass, RecordType } from './codes.ts';
export { decodeMessage } from './decode.ts';
export {
  algorithmText,
  type BrokenLink,
  type DnssecLink,
  type DnssecProblem,
  dsDigest,
  keyTag,
  rootTrustAnchors,
  type SignedRrset,
  type SoundLink,
  signedRrset,
  type UnsignedLink,
  verifyAnchoredZone,
  verifyRrset,
  verifyZoneCut,
  type ZoneCut,
  type ZoneKeys,
  type ZoneVerdict,
} from './dnssec/index.ts';
export { defaultUdpSize, encodeMessage, encodeQuery } from './encode.ts';
export {
  type AskedFor,
  type Exchange,
  type ExchangeOptions,
  exchange,
  type PlainExchange,
  type UdpProblem,
} from './exchange.ts';
export { DnsExchangeError, type DnsExchangeErrorKind, type DnsTransportName, socketError } from './exchange-error.ts';
export { FramedConnection, type FramedConnectionOptions } from './framed-connection.ts';
export {
  type AddressRecord,
  type CaaData,
  type CaaRecord,
  DnsDecodeError,
  DnsEncodeError,
  type DnskeyData,
  type DnskeyRecord,
  type DnsMessage,
  type DnsQuestion,
  type DnsRecord,
  type DsData,
  type DsRecord,
  type Edns,
  type ExtendedError,
  type NameRecord,
  type RawRecord,
  type RrsigData,
  type RrsigRecord,
  type SoaData,
  type SoaRecord,
  type TxtRecord,
  txtValue,
} from './message.ts';
export { child, type DnsName, DnsNameError, isWithin, labelsOf, parentOf, toDnsName } from './name.ts';
export { notAuthMeaning, sendUpdate, type UpdateOptions, type UpdateReply } from './send-update.ts';
export { formatServer, parseServer } from './server.ts';
export { refusingTransport, systemTransport } from './system-transport.ts';
export {
  type AnyDnsServer,
  type DnsServer,
  type DnsTransport,
  type EncryptedServer,
  type HttpsServer,
  mapTransport,
  type TlsServer,
  type TransportCall,
} from './transport.ts';
export { signMessage, type TsigCheck, verifyResponse } from './tsig.ts';
export { createTsigKey, type TsigAlgorithm, type TsigKey, tsigAlgorithms } from './tsig-key.ts';
export { tsigErrors } from './tsig-record.ts';
export { type RequestCheck, signResponse, verifyRequest } from './tsig-server.ts';
export { formatTxt, parseTxt, type TxtEscapes } from './txt-text.ts';
export { encodeUpdate, toStrings, type UpdateRecord } from './update.ts';

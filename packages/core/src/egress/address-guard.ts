import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { DnsExchangeError, type DnsServer, type DnsTransport } from '@zoneproof/dns';

/**
 * The reason why `address`, which `host` stands for, must not be connected to; undefined when it may. `address` is ''
 * where a proxy resolves the name, so that the name is all there is to judge.
 */
export type AddressRule = (address: string, host: string) => string | undefined;

/** All addresses of a name, as `dns.lookup` finds them. */
export type LookupHostAddresses = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** An address was refused by the rule; nothing was sent. */
export class AddressDenied extends Error {
  readonly code = deniedCode;

  constructor(address: string, reason: string) {
    super(`${address} may not be connected to: ${reason}`);
    this.name = 'AddressDenied';
  }
}

/** Whether an error comes from an address that the rule refused, however many layers have told it on. */
export function isAddressDenied(error: unknown): boolean {
  for (let at = error, hops = 0; at instanceof Error && hops < 10; at = at.cause, hops++)
    if ('code' in at && at.code === deniedCode) return true;
  return false;
}

const deniedCode = 'ZONEPROOF_ADDRESS_DENIED';

/**
 * Applies an address rule where connections are made. What is asked about is the very address that is then connected
 * to: a name is resolved once, so that a second answer (DNS rebinding) cannot get past the rule.
 */
export interface AddressGuard {
  /** The refusal of a host that is an address itself (without brackets); names pass and are judged by `lookup`. */
  refusal(host: string): AddressDenied | undefined;
  /** The refusal of a host that a proxy would connect to. */
  refusalBehindProxy(host: string): AddressDenied | undefined;
  /** For `net.connect` and `tls.connect`. */
  readonly lookup: LookupFunction;
}

export function createAddressGuard(
  rule: AddressRule = () => undefined,
  lookup: LookupHostAddresses = systemLookup,
): AddressGuard {
  const judge = (address: string, host: string) => rule(plainAddress(address), host);
  const refusal = (host: string): AddressDenied | undefined => {
    const reason = isIP(host) === 0 ? undefined : judge(host, host);
    return reason === undefined ? undefined : new AddressDenied(host, reason);
  };
  return {
    refusal,
    refusalBehindProxy(host) {
      if (isIP(host) !== 0) return refusal(host);
      const reason = rule('', host);
      return reason === undefined ? undefined : new AddressDenied(host, reason);
    },
    lookup(host, options, callback) {
      lookup(host, { ...options, all: true }, (error, addresses) => {
        if (error !== null) return callback(error, []);
        const reasons = addresses.map(({ address }) => judge(address, host));
        const allowed = addresses.filter((_address, at) => reasons[at] === undefined);
        const [first] = allowed;
        if (first === undefined)
          callback(
            new AddressDenied(`${host} (${addresses[0]?.address ?? 'no address'})`, reasons[0] ?? 'no address'),
            [],
          );
        else if (options.all) callback(null, allowed);
        else callback(null, first.address, first.family);
      });
    },
  };
}

/** The same rule for plain DNS, whose servers are always addresses; encrypted servers are judged where they are connected to. */
export function guardTransport(transport: DnsTransport, guard: AddressGuard): DnsTransport {
  const refuse = (server: DnsServer, name: 'udp' | 'tcp') => {
    const refusal = guard.refusal(server.address);
    return refusal && new DnsExchangeError('denied', server, name, refusal.message, { sent: false, cause: refusal });
  };
  return {
    ...(transport.encrypted && { encrypted: transport.encrypted.bind(transport) }),
    async udp(server, query, accept, call) {
      const refusal = refuse(server, 'udp');
      if (refusal !== undefined) throw refusal;
      return transport.udp(server, query, accept, call);
    },
    async tcp(server, query, call) {
      const refusal = refuse(server, 'tcp');
      if (refusal !== undefined) throw refusal;
      return transport.tcp(server, query, call);
    },
  };
}

/** `::ffff:10.0.0.1` and `::ffff:a00:1` are 10.0.0.1: a rule about IPv4 must not be passed by in disguise. */
export function plainAddress(address: string): string {
  const bare = address.replace(/%.*$/, '').toLowerCase();
  if (isIP(bare) !== 6) return bare;
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (mapped === null) return canonical;
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

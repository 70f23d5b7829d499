import { BlockList, isIP } from 'node:net';

/** A range in CIDR form. */
export interface Cidr {
  readonly network: string;
  readonly bits: number;
}

/** What `--denied-cidrs` or another list of ranges has that is none. */
export class CidrError extends Error {
  constructor(entry: string) {
    super(`"${entry}" is no range of addresses; write it like 10.0.0.0/8, fd00::/8 or 192.0.2.1.`);
    this.name = 'CidrError';
  }
}

/** Reads `10.0.0.0/8, fd00::/8, 192.0.2.1`, by commas or spaces. @throws CidrError */
export function parseCidrs(text: string): readonly Cidr[] {
  return text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [network = '', length, ...rest] = entry.split('/');
      const most = { 4: 32, 6: 128 }[isIP(network)];
      const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : undefined;
      if (most === undefined || bits === undefined || bits > most || rest.length > 0) throw new CidrError(entry);
      return { network, bits };
    });
}

/** Whether an address is in the range. */
export function inCidr({ network, bits }: Cidr): (address: string) => boolean {
  const range = new BlockList();
  range.addSubnet(network, bits, familyOf(network));
  // BlockList takes a mapped IPv6 address for an IPv4 one; here each address is asked about in its own form.
  return (address) => isIP(address) === isIP(network) && range.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

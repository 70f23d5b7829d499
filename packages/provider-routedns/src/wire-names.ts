import { type DnsName, toDnsName } from '@zoneproof/dns';

/**
 * Route 53 writes names with a final dot and everything but letters, digits, `-`, `_` and `.` in octal: `\052` is `*`.
 * https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DomainNameFormat.html
 */
export function toWireName(name: DnsName): string {
  return `${name.replace('*', '\\052')}.`;
}

/** Undefined for names that no challenge can have. */
export function fromWireName(text: string): DnsName | undefined {
  const plain = text.replace(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  try {
    return toDnsName(plain);
  } catch {
    return undefined;
  }
}

import { type DnsName, toDnsName } from '@zoneproof/dns';

/**
 * Route 53 writes names with a final dot and everything but letters, digits, `-`, `_` and `.` in octal: `\052` is `*`.
 * https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DomainNameFormat.html
 */
export function toWireName(name: DnsName): string {
  return `${name.replace('*', '\\052')}.`;
}

/** Undefined for names that no challenge can have: `a\056b.example.com` has a label "a.b" and is not `a.b.example.com`. */
export function fromWireName(text: string): DnsName | undefined {
  try {
    return toDnsName(text.replace('\\052', '*'));
  } catch {
    return undefined;
  }
}

import { type DnsName, toDnsName } from '@zoneproof/dns';

/**
 * How the API writes names: final dot, and `\ooo` in octal for all but letters, digits, `-`, `_` and `.`: `\052` is `*`.
 * https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DomainNameFormat.html
 */
export function wireName(name: DnsName): string {
  const escaped = name.replace(/[^a-z0-9_.-]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return `${escaped}.`;
}

/** Either form, any case, with or without the final dot. @throws DnsNameError */
export function readName(text: string): DnsName {
  return toDnsName(
    text.replace(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
  );
}

/**
 * The order of lists: labels from the right, compared as text with the final dot, so that `a-b` comes before `a`.
 * https://docs.aws.amazon.com/Route53/latest/APIReference/API_ListResourceRecordSets.html
 */
export function reversedLabels(name: DnsName): string {
  return `${name.split('.').reverse().join('.')}.`;
}

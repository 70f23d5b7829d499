/** A group of AWS regions with accounts, ARNs and endpoints of its own. */
export interface Partition {
  /** As in ARNs. */
  readonly name: string;
  /** Where Route 53 of the partition answers. */
  readonly route53: string;
  /** Route 53 is one service a partition; its requests are signed for this region whatever the block's `region`. */
  readonly signingRegion: string;
  /** `sts.REGION.` goes before it. */
  readonly dnsSuffix: string;
}

type Row = readonly [regions: RegExp, name: string, route53: string, signingRegion: string, dnsSuffix: string];

// https://docs.aws.amazon.com/general/latest/gr/r53.html; a test holds it equal to the endpoint rules of the SDK.
const table: readonly Row[] = [
  [/^cn-/, 'aws-cn', 'route53.amazonaws.com.cn', 'cn-northwest-1', 'amazonaws.com.cn'],
  [/^us-gov-/, 'aws-us-gov', 'route53.us-gov.amazonaws.com', 'us-gov-west-1', 'amazonaws.com'],
  [/^us-iso-/, 'aws-iso', 'route53.c2s.ic.gov', 'us-iso-east-1', 'c2s.ic.gov'],
  [/^us-isob-/, 'aws-iso-b', 'route53.sc2s.sgov.gov', 'us-isob-east-1', 'sc2s.sgov.gov'],
  [/^eu-isoe-/, 'aws-iso-e', 'route53.cloud.adc-e.uk', 'eu-isoe-west-1', 'cloud.adc-e.uk'],
  [/^us-isof-/, 'aws-iso-f', 'route53.csp.hci.ic.gov', 'us-isof-south-1', 'csp.hci.ic.gov'],
  [/^eusc-/, 'aws-eusc', 'route53.amazonaws.eu', 'eusc-de-east-1', 'amazonaws.eu'],
  [/^/, 'aws', 'route53.amazonaws.com', 'us-east-1', 'amazonaws.com'],
];

/** The partition of a region; `aws` for regions that no other partition claims. */
export function partitionOf(region: string): Partition {
  const [, name, route53, signingRegion, dnsSuffix] = table.find(([regions]) => regions.test(region)) as Row;
  return { name, route53: `https://${route53}`, signingRegion, dnsSuffix };
}

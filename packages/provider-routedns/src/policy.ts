import type { Permission, PolicyOptions } from '@zoneproof/core';
import { bareZoneId } from './config.ts';
import { partitionOf } from './partitions.ts';

/** The rights in IAM's words. https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonroute53.html */
export const permissions: readonly Permission[] = [
  {
    name: 'route53:ChangeResourceRecordSets',
    on: 'arn:aws:route53:::hostedzone/*',
    need: 'always',
    why: 'Writes and removes the TXT records of challenges.',
  },
  {
    name: 'route53:ListHostedZonesByName',
    on: '*',
    need: 'optional',
    why: 'Finds the zone of a name. Not needed where hostedZoneID is set. IAM knows no narrower resource for it.',
  },
  {
    name: 'route53:GetChange',
    on: 'arn:aws:route53:::change/*',
    need: 'optional',
    why: "Tells when a change has reached all of Route 53's servers. Without it the self check alone decides.",
  },
  {
    name: 'route53:ListResourceRecordSets',
    on: 'arn:aws:route53:::hostedzone/*',
    need: 'optional',
    why: 'Adds values beside those of other writers at the same name. Without it such a name ends in an error, and the values there stay.',
  },
  {
    name: 'sts:AssumeRole',
    on: 'arn:aws:iam::123456789012:role/dns01',
    need: 'optional',
    why: 'Only where role is set: lets the credentials of the block assume it. The rights above then belong to the role.',
  },
];

/** The policy document of the rights above. Pure. */
export function accessPolicy({ zoneId, region = 'us-east-1', merge = false }: PolicyOptions): object {
  const { name } = partitionOf(region);
  const arn = (resource: string) => `arn:${name}:route53:::${resource}`;
  const change = 'route53:ChangeResourceRecordSets';
  const statements: object[] = [
    { Effect: 'Allow', Action: 'route53:GetChange', Resource: arn('change/*') },
    {
      Effect: 'Allow',
      Action: merge ? [change, 'route53:ListResourceRecordSets'] : change,
      Resource: arn(`hostedzone/${zoneId === undefined ? '*' : bareZoneId(zoneId)}`),
    },
  ];
  if (zoneId === undefined)
    statements.push({ Effect: 'Allow', Action: 'route53:ListHostedZonesByName', Resource: '*' });
  return { Version: '2012-10-17', Statement: statements };
}

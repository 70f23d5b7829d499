import { accessPolicy } from './policy.ts';

test('the policy is that of the specification, with the action prefix of AWS', () => {
  expect(accessPolicy({})).toEqual({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Action: 'route53:GetChange', Resource: 'arn:aws:route53:::change/*' },
      { Effect: 'Allow', Action: 'route53:ChangeResourceRecordSets', Resource: 'arn:aws:route53:::hostedzone/*' },
      { Effect: 'Allow', Action: 'route53:ListHostedZonesByName', Resource: '*' },
    ],
  });
});

test('one zone, the right to merge, and the partition of the region', () => {
  expect(accessPolicy({ zoneId: '/hostedzone/Z1', region: 'us-gov-west-1', merge: true })).toEqual({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Action: 'route53:GetChange', Resource: 'arn:aws-us-gov:route53:::change/*' },
      {
        Effect: 'Allow',
        Action: ['route53:ChangeResourceRecordSets', 'route53:ListResourceRecordSets'],
        Resource: 'arn:aws-us-gov:route53:::hostedzone/Z1',
      },
    ],
  });
});

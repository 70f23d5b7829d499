import { Route53Client } from '@aws-sdk/client-route-53';
import { STSClient } from '@aws-sdk/client-sts';
import { stsEndpoint } from './credentials/sts.ts';
import { partitionOf } from './partitions.ts';
import { silenceVersionNotice } from './sdk.ts';

const credentials = { accessKeyId: 'x', secretAccessKey: 'x' };
beforeAll(silenceVersionNotice);

const plain = { UseFIPS: false, UseDualStack: false };

test.each([
  ['us-east-1', 'aws'],
  ['eu-central-1', 'aws'],
  ['mx-central-1', 'aws'],
  ['cn-northwest-1', 'aws-cn'],
  ['us-gov-east-1', 'aws-us-gov'],
  ['us-iso-west-1', 'aws-iso'],
  ['us-isob-east-1', 'aws-iso-b'],
  ['eu-isoe-west-1', 'aws-iso-e'],
  ['us-isof-south-1', 'aws-iso-f'],
  ['eusc-de-east-1', 'aws-eusc'],
])('%s is in %s, with the endpoints of the SDK', (region, name) => {
  const partition = partitionOf(region);
  expect(partition.name).toBe(name);
  const route53 = new Route53Client({ region, credentials }).config.endpointProvider({ ...plain, Region: region });
  expect(`${partition.route53}/`).toBe(route53.url.href);
  expect(route53.properties?.authSchemes).toMatchObject([{ signingRegion: partition.signingRegion }]);
  const sts = new STSClient({ region, credentials }).config.endpointProvider({
    ...plain,
    Region: region,
    UseGlobalEndpoint: false,
  });
  expect(`${stsEndpoint({ region })}/`).toBe(sts.url.href);
});

test('with an endpoint STS is asked at its origin', () => {
  expect(stsEndpoint({ region: 'eu-central-1', endpoint: 'https://dns.example.net/aws/' })).toBe(
    'https://dns.example.net',
  );
});

import type { RecordTarget } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import type { BadDay, Fixture } from '@zoneproof/provider-testkit';
import {
  type Route53Emulator,
  type Route53Options,
  readingPolicy,
  startRoute53,
} from '@zoneproof/provider-testkit/route53';
import type { RoutednsConfig } from '../config.ts';

export interface Route53Fixture extends Fixture {
  readonly config: RoutednsConfig;
  readonly aws: Route53Emulator;
}

const otherSecret = 'another/Secret+Key/of40characters01234567';

/** The emulator with zones example.test and deep.example.test; `policy` in the options tells what may be done. */
export async function startRoute53Fixture(options: Route53Options = {}): Promise<Route53Fixture> {
  const aws = await startRoute53({ zones: ['example.test', 'deep.example.test'], sync: { afterPolls: 1 }, ...options });
  const config: RoutednsConfig = {
    region: 'eu-central-1',
    accessKeyID: aws.accessKeyId,
    secretAccessKeySecretRef: { name: 'aws', key: 'secret' },
    endpoint: aws.origin,
    caBundle: aws.caBundle,
  };
  let targets = 0;
  return {
    aws,
    config,
    secrets: { aws: { secret: aws.secretAccessKey } },
    wrongSecrets: { aws: { secret: otherSecret } },
    newTarget: async () => targetOf(`host${++targets}.example.test`),
    observe: async (name) => aws.published(name),
    plant: async (name, value, ttl) => aws.plant(name, value, ttl),
    zones: [
      { target: targetOf('www.example.test'), zone: 'example.test' },
      { target: targetOf('deep.example.test'), zone: 'deep.example.test' },
      { target: targetOf('a.deep.example.test'), zone: 'deep.example.test' },
      { target: targetOf('adeep.example.test'), zone: 'example.test' },
      { target: targetOf('notexample.test'), zone: undefined },
    ],
    async manyZones() {
      const ids = Array.from({ length: 220 }, (_none, at) => aws.addZone({ name: `zone${at}.test` }));
      return () => {
        for (const id of ids) aws.removeZone(id);
      };
    },
    forbidSync() {
      const { Statement, ...rest } = readingPolicy;
      aws.setPolicy({ ...rest, Statement: Statement.filter(({ Action }) => Action !== 'route53:GetChange') });
      return () => aws.setPolicy(undefined);
    },
    badDays: badDaysOf(aws),
    close: () => aws.close(),
  };
}

export function targetOf(domain: string): RecordTarget {
  const name = toDnsName(`_acme-challenge.${domain}`);
  return { domain: toDnsName(domain), challengeName: name, name };
}

function badDaysOf(aws: Route53Emulator): readonly BadDay[] {
  const failing =
    (fault: Parameters<Route53Emulator['fail']>[0]): BadDay['arrange'] =>
    () => ({ undo: aws.fail(fault) });
  const without =
    (action: string): BadDay['arrange'] =>
    () => {
      const { Statement, ...rest } = readingPolicy;
      aws.setPolicy({ ...rest, Statement: Statement.filter(({ Action }) => Action !== action) });
      return { undo: () => aws.setPolicy(undefined) };
    };
  const withZone =
    (zone: Parameters<Route53Emulator['addZone']>[0]): BadDay['arrange'] =>
    () => {
      const id = aws.addZone(zone);
      return { undo: () => aws.removeZone(id) };
    };
  const write = 'ChangeResourceRecordSets';
  return [
    {
      name: 'wrong-key',
      arrange: () => ({ secrets: { aws: { secret: otherSecret } } }),
      ends: 'auth',
      says: /secretAccessKeySecretRef/,
    },
    {
      name: 'expired-credentials',
      arrange() {
        const message = 'The security token included in the request is expired';
        aws.refuse({ action: 'ListHostedZonesByName', status: 403, code: 'ExpiredToken', message });
        return {};
      },
      ends: 'auth',
      says: /session has ended/,
    },
    {
      name: 'missing-permission',
      arrange: without('route53:ChangeResourceRecordSets'),
      ends: 'permission',
      says: /route53:ChangeResourceRecordSets on resource: arn:aws:route53:::hostedzone\/Z/,
    },
    {
      name: 'missing-permission',
      arrange: without('route53:ListHostedZonesByName'),
      ends: 'permission',
      says: /route53:ListHostedZonesByName/,
    },
    {
      name: 'clock-off',
      arrange() {
        aws.setSkewMs(610_000);
        return { undo: () => aws.setSkewMs(0) };
      },
      ends: 'auth',
      says: /clock of this machine is 10 min behind/,
    },
    { name: 'zone-absent', arrange: () => ({ target: targetOf('nowhere.invalid') }), ends: 'zone-not-found' },
    { name: 'zone-twice-public', arrange: withZone({ name: 'example.test' }), ends: 'zone-not-found', says: /Z0\w+/ },
    { name: 'zone-public-and-private', arrange: withZone({ name: 'example.test', private: true }), ends: 'done' },
    { name: 'zone-only-as-parent', arrange: () => ({ target: targetOf('a.b.c.example.test') }), ends: 'done' },
    { name: 'thousand-changes', arrange: () => ({}), ends: 'done' },
    {
      name: 'quota-reached',
      arrange() {
        aws.setMaxRecordsPerZone(1);
        return { target: targetOf('full.example.test'), undo: () => aws.setMaxRecordsPerZone(10_000) };
      },
      ends: 'quota',
    },
    {
      name: 'half-of-batch-refused',
      arrange() {
        const target = targetOf('aliased.example.test');
        const zone = aws.zoneIdOf('example.test');
        aws.putRecordSet(zone, { name: target.name, type: 'CNAME', ttl: 60, values: ['elsewhere.example.net.'] });
        return { target };
      },
      ends: 'invalid',
      says: /CNAME/,
    },
    { name: 'answer-lost', arrange: failing({ kind: 'lose-answer', on: 'write' }), ends: 'unavailable' },
    { name: 'throttled', arrange: failing({ kind: 'throttled', on: 'write' }), ends: 'rate-limited' },
    { name: 'server-error', arrange: failing({ kind: 'server-error', on: 'write' }), ends: 'unavailable' },
    { name: 'html-page', arrange: failing({ kind: 'html', status: 502, on: 'write' }), ends: 'unavailable' },
    { name: 'html-page', arrange: failing({ kind: 'html', status: 200, on: 'write' }), ends: 'unavailable' },
    {
      name: 'answer-lacks-fields',
      arrange: failing({
        kind: 'change-answer',
        on: { action: write },
        change: (answer) => ({ ...answer, body: String(answer.body).replace(/<(Id|SubmittedAt)>[^<]*<\/\1>/g, '') }),
      }),
      ends: 'done',
    },
    {
      name: 'answer-lacks-fields',
      arrange: failing({
        kind: 'change-answer',
        on: { action: 'ListHostedZonesByName' },
        change: (answer) => ({ ...answer, body: '<?xml version="1.0"?>\n<ListHostedZonesByNameResponse/>' }),
      }),
      ends: 'unavailable',
    },
    {
      name: 'answer-has-more-fields',
      arrange: failing({
        kind: 'change-answer',
        on: 'any',
        times: 3,
        change: (answer) => ({
          ...answer,
          body: String(answer.body).replace(/<(ChangeInfo|HostedZone)>/g, '<$1><New><Deep>1</Deep></New>'),
        }),
      }),
      ends: 'done',
    },
    {
      name: 'foreign-writer-in-between',
      arrange() {
        const target = targetOf('between.example.test');
        return {
          target,
          undo: aws.fail({ kind: 'before', on: 'write', run: () => aws.plant(target.name, 'foreign', 300) }),
        };
      },
      ends: 'done',
    },
  ];
}

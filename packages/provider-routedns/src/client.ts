import type { Change, ResourceRecordSet, Route53Client } from '@aws-sdk/client-route-53';
import {
  type CallContext,
  clockOffsetMs,
  createApiRequests,
  isProviderError,
  ProviderError,
  type ProviderHost,
  type SyncState,
  type Zone,
} from '@zoneproof/core';
import { BatchRefused } from './batch-refusal.ts';
import { bareZoneId, type RoutednsConfig } from './config.ts';
import { createCredentials } from './credentials/index.ts';
import { partitionOf } from './partitions.ts';
import { createExchange, sdkOptions, silenceVersionNotice, withoutTrace } from './sdk.ts';
import { messagesOf, refusalOf } from './sdk-answer.ts';
import { fromWireName } from './wire-names.ts';

type Sdk = typeof import('@aws-sdk/client-route-53');

/** The four requests to Route 53. Each throws ProviderError. */
export interface Client {
  /** A page of https://docs.aws.amazon.com/Route53/latest/APIReference/API_ListHostedZonesByName.html */
  listZones(
    after: ZonePlace | undefined,
    call: CallContext,
  ): Promise<{ readonly zones: readonly Zone[]; readonly next?: ZonePlace }>;
  /**
   * https://docs.aws.amazon.com/Route53/latest/APIReference/API_ChangeResourceRecordSets.html Answers the id of the change.
   *
   * @throws BatchRefused
   */
  change(zone: Zone, changes: readonly Change[], call: CallContext): Promise<string | undefined>;
  /** https://docs.aws.amazon.com/Route53/latest/APIReference/API_GetChange.html */
  changeState(id: string, call: CallContext): Promise<SyncState>;
  /** A page of TXT sets from a name on. https://docs.aws.amazon.com/Route53/latest/APIReference/API_ListResourceRecordSets.html */
  listSets(
    zone: Zone,
    from: SetPlace,
    call: CallContext,
  ): Promise<{ readonly sets: readonly ResourceRecordSet[]; readonly next?: SetPlace }>;
  /** How far our clock was ahead of AWS's at the last answer, in milliseconds. */
  readonly clockOffset: number | undefined;
}

/** Where a page of zones starts. */
export interface ZonePlace {
  readonly name: string;
  readonly id: string;
}

/** Where a page of record sets starts; `name` as Route 53 writes it. */
export interface SetPlace {
  readonly name: string;
  readonly type?: string | undefined;
  readonly identifier?: string | undefined;
}

export function createClient(config: RoutednsConfig, host: ProviderHost): Client {
  const egress = config.caBundle === undefined ? host.egress : host.egress.withCaBundle(config.caBundle);
  const requests = createApiRequests(host, egress);
  const credentials = createCredentials(config, host, requests);
  const { providerName } = host;
  const partition = partitionOf(config.region);
  let clockOffset: number | undefined;

  async function ask<Answer>(
    what: string,
    writes: boolean,
    call: CallContext,
    send: (client: Route53Client, sdk: Sdk) => Promise<Answer>,
  ): Promise<Answer> {
    const identity = await credentials.get(call);
    const exchange = createExchange(requests.through(what, call));
    const sdk = await import('@aws-sdk/client-route-53');
    await silenceVersionNotice();
    const client = withoutTrace(
      new sdk.Route53Client({
        ...sdkOptions(exchange, host.clock),
        region: partition.signingRegion,
        endpoint: config.endpoint ?? partition.route53,
        credentials: identity,
      }),
    );
    try {
      return await send(client, sdk);
    } catch (error) {
      const secrets = [identity.secretAccessKey, identity.sessionToken];
      const refusal = refusalOf(error, exchange, { providerName, what, now: host.clock.now(), writes, secrets });
      if (refusal.kind === 'auth') credentials.forget();
      if (writes && refusal.details.vendorCode === 'InvalidChangeBatch')
        throw new BatchRefused(messagesOf(error), refusal);
      throw refusal;
    } finally {
      if (exchange.answer) clockOffset = clockOffsetMs(exchange.answer.headers, host.clock.now()) ?? clockOffset;
    }
  }

  async function permitChanges(count: number, what: string, call: CallContext): Promise<void> {
    try {
      await call.permit('changes', count);
    } catch (cause) {
      if (isProviderError(cause)) throw cause;
      throw new ProviderError({ kind: 'aborted', message: `${providerName}: stopped before ${what}`, sent: false });
    }
  }

  const lacks = (what: string, sent: boolean) =>
    new ProviderError({
      kind: 'unavailable',
      message: `${providerName}: the answer to ${what} is none of Route 53: check endpoint, and what stands in between.`,
      sent,
    });

  return {
    async listZones(after, call) {
      const what = 'the list of hosted zones';
      const input = { MaxItems: 100, ...(after && { DNSName: after.name, HostedZoneId: after.id }) };
      const answer = await ask(what, false, call, (client, sdk) =>
        client.send(new sdk.ListHostedZonesByNameCommand(input)),
      );
      if (answer.HostedZones === undefined && answer.MaxItems === undefined) throw lacks(what, false);
      const { NextDNSName: name, NextHostedZoneId: id } = answer;
      const zones = (answer.HostedZones ?? []).flatMap((zone): readonly Zone[] => {
        const apex = fromWireName(zone.Name ?? '');
        if (zone.Id === undefined || apex === undefined || apex === '') return [];
        const visibility = zone.Config?.PrivateZone === true ? 'private' : 'public';
        return [{ id: bareZoneId(zone.Id), name: apex, visibility }];
      });
      return {
        zones,
        ...(answer.IsTruncated === true && name !== undefined && id !== undefined && { next: { name, id } }),
      };
    },

    async change(zone, changes, call) {
      const what = `${changes.length === 1 ? 'a change' : `${changes.length} changes`} of zone ${zone.name}`;
      await permitChanges(changes.length, what, call);
      const input = { HostedZoneId: zone.id, ChangeBatch: { Changes: [...changes] } };
      const answer = await ask(what, true, call, (client, sdk) =>
        client.send(new sdk.ChangeResourceRecordSetsCommand(input)),
      );
      if (answer.ChangeInfo === undefined) throw lacks(what, true);
      return answer.ChangeInfo.Id?.replace(/^\/change\//, '');
    },

    async changeState(id, call) {
      const what = `the state of change ${id}`;
      const answer = await ask(what, false, call, (client, sdk) => client.send(new sdk.GetChangeCommand({ Id: id })));
      switch (answer.ChangeInfo?.Status) {
        case 'INSYNC':
          return { state: 'synced' };
        case 'PENDING':
          return { state: 'pending' };
        default:
          throw lacks(what, false);
      }
    },

    async listSets(zone, { name, type = 'TXT', identifier }, call) {
      const what = `the record sets of zone ${zone.name}`;
      const input = {
        HostedZoneId: zone.id,
        StartRecordName: name,
        StartRecordType: type as 'TXT',
        StartRecordIdentifier: identifier,
        MaxItems: 300,
      };
      const answer = await ask(what, false, call, (client, sdk) =>
        client.send(new sdk.ListResourceRecordSetsCommand(input)),
      );
      if (answer.ResourceRecordSets === undefined && answer.MaxItems === undefined) throw lacks(what, false);
      const next = answer.IsTruncated === true ? answer.NextRecordName : undefined;
      return {
        sets: answer.ResourceRecordSets ?? [],
        ...(next !== undefined && {
          next: { name: next, type: answer.NextRecordType, identifier: answer.NextRecordIdentifier },
        }),
      };
    },

    get clockOffset() {
      return clockOffset;
    },
  };
}

import type { HostedZone } from './hosted-zones.ts';
import { readName, reversedLabels, wireName } from './names.ts';
import { type RecordSet, setXml } from './record-set.ts';
import { Refusal } from './refusal.ts';
import { xml } from './xml.ts';

const maxZones = 100;
const maxSets = 300;

/** https://docs.aws.amazon.com/Route53/latest/APIReference/API_ListHostedZonesByName.html */
export function listZonesByName(sorted: readonly HostedZone[], query: URLSearchParams): readonly string[] {
  const dnsName = query.get('dnsname');
  const id = query.get('hostedzoneid');
  if (id !== null && dnsName === null) throw new Refusal(400, 'InvalidInput', 'hostedzoneid goes with dnsname');
  const start = dnsName === null ? '' : reversedLabels(readName(dnsName));
  const from = sorted.filter((zone) => {
    const key = reversedLabels(zone.name);
    return key > start || (key === start && zone.id >= (id ?? ''));
  });
  const limit = maxItems(query, maxZones);
  const next = from[limit];
  return [
    xml(
      'HostedZones',
      from
        .slice(0, limit)
        .map((zone) =>
          xml('HostedZone', [
            xml('Id', `/hostedzone/${zone.id}`),
            xml('Name', wireName(zone.name)),
            xml('CallerReference', zone.id),
            xml('Config', [xml('PrivateZone', zone.private)]),
            xml('ResourceRecordSetCount', zone.sets.size),
          ]),
        ),
    ),
    xml('DNSName', dnsName ?? undefined),
    xml('HostedZoneId', id ?? undefined),
    xml('IsTruncated', next !== undefined),
    xml('NextDNSName', next && wireName(next.name)),
    xml('NextHostedZoneId', next?.id),
    xml('MaxItems', limit),
  ];
}

/** https://docs.aws.amazon.com/Route53/latest/APIReference/API_ListResourceRecordSets.html */
export function listRecordSets(zone: HostedZone, query: URLSearchParams): readonly string[] {
  const [name, type, identifier] = [query.get('name'), query.get('type'), query.get('identifier')];
  if (type !== null && name === null)
    throw new Refusal(400, 'InvalidInput', 'The input is not valid: type goes with name');
  const start = name !== null && { name: readName(name), type: type ?? '', setIdentifier: identifier ?? '' };
  const from = [...zone.sets.values()]
    .sort(comparePlaces)
    .filter((set) => start === false || comparePlaces(set, start) >= 0);
  const limit = maxItems(query, maxSets);
  const next = from[limit];
  return [
    xml('ResourceRecordSets', from.slice(0, limit).map(setXml)),
    xml('IsTruncated', next !== undefined),
    xml('NextRecordName', next && wireName(next.name)),
    xml('NextRecordType', next?.type),
    xml('NextRecordIdentifier', next?.setIdentifier),
    xml('MaxItems', limit),
  ];
}

type Place = Pick<RecordSet, 'name' | 'type' | 'setIdentifier'>;

function comparePlaces(a: Place, b: Place): number {
  const keys = ({ name, type, setIdentifier = '' }: Place) => [reversedLabels(name), type, setIdentifier];
  const other = keys(b);
  const at = keys(a).findIndex((key, i) => key !== other[i]);
  return at < 0 ? 0 : keys(a)[at]! < other[at]! ? -1 : 1;
}

function maxItems(query: URLSearchParams, most: number): number {
  const asked = Number(query.get('maxitems') ?? most);
  if (!Number.isInteger(asked) || asked < 1) throw new Refusal(400, 'InvalidInput', 'maxitems is not valid');
  return Math.min(asked, most);
}

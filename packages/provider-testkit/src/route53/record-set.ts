import type { DnsName } from '@zoneproof/dns';
import { readName, wireName } from './names.ts';
import { Refusal } from './refusal.ts';
import { childOf, textOf, type XmlElement, xml } from './xml.ts';

/** A ResourceRecordSet. https://docs.aws.amazon.com/Route53/latest/APIReference/API_ResourceRecordSet.html */
export interface RecordSet {
  readonly name: DnsName;
  readonly type: string;
  /** Seconds. */
  readonly ttl: number;
  /** As stored: TXT values with their quotation marks. */
  readonly values: readonly string[];
  /** Tells the sets of one name and type apart; a simple set has none. */
  readonly setIdentifier?: string;
  readonly multiValueAnswer?: boolean;
  readonly weight?: number;
}

export interface Change {
  readonly action: 'CREATE' | 'DELETE' | 'UPSERT';
  readonly set: RecordSet;
}

/** What tells a set from all others of its zone. */
export function setKey({ name, type, setIdentifier = '' }: RecordSet): string {
  return `${name} ${type} ${setIdentifier}`;
}

export function sameSet(one: RecordSet, other: RecordSet): boolean {
  const plain = ({ ttl, values, multiValueAnswer = false, weight }: RecordSet) =>
    JSON.stringify([ttl, multiValueAnswer, weight, [...values].sort()]);
  return plain(one) === plain(other);
}

/** @throws Refusal InvalidInput or InvalidChangeBatch */
export function readChanges(document: XmlElement): readonly Change[] {
  const changes = childOf(childOf(document, 'ChangeBatch'), 'Changes')?.children ?? [];
  if (changes.length === 0) throw new Refusal(400, 'InvalidInput', 'Invalid XML ; the change batch holds no change');
  return changes.map((change) => {
    const action = textOf(change, 'Action') ?? '';
    const set = childOf(change, 'ResourceRecordSet');
    if (action !== 'CREATE' && action !== 'DELETE' && action !== 'UPSERT')
      throw new Refusal(
        400,
        'InvalidInput',
        `Invalid XML ; cvc-enumeration-valid: Value '${action}' is not facet-valid with respect to enumeration '[CREATE, DELETE, UPSERT]'.`,
      );
    return { action, set: readSet(set, action) };
  });
}

export function setXml(set: RecordSet): string {
  return xml('ResourceRecordSet', [
    xml('Name', wireName(set.name)),
    xml('Type', set.type),
    xml('SetIdentifier', set.setIdentifier),
    xml('Weight', set.weight),
    xml('MultiValueAnswer', set.multiValueAnswer),
    xml('TTL', set.ttl),
    xml(
      'ResourceRecords',
      set.values.map((value) => xml('ResourceRecord', [xml('Value', value)])),
    ),
  ]);
}

function readSet(element: XmlElement | undefined, action: string): RecordSet {
  const name = textOf(element, 'Name') ?? '';
  const type = textOf(element, 'Type') ?? '';
  const setIdentifier = textOf(element, 'SetIdentifier');
  const ttl = textOf(element, 'TTL');
  const weight = textOf(element, 'Weight');
  const values = (childOf(element, 'ResourceRecords')?.children ?? []).map((record) => textOf(record, 'Value') ?? '');
  const where = `[Action=${action}, Name=${name}, Type=${type}, SetIdentifier=${setIdentifier ?? 'null'}]`;
  if (ttl === undefined || values.length === 0)
    throw new Refusal(
      400,
      'InvalidInput',
      `Invalid request: Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], or TrafficPolicyInstanceId], but found none in Change with ${where}`,
    );
  const multiValueAnswer = textOf(element, 'MultiValueAnswer') === 'true';
  const hasPolicy = multiValueAnswer || weight !== undefined;
  // https://github.com/hashicorp/terraform-provider-aws/issues/1668
  if (setIdentifier !== undefined && !hasPolicy)
    throw new Refusal(
      400,
      'InvalidInput',
      `Invalid request: Expected exactly one of [Weight, Region, Failover, GeoLocation, or MultiValueAnswer], but found none in Change with ${where}`,
    );
  // assumed: that the two belong together is published, these words are not
  if (setIdentifier === undefined && hasPolicy)
    throw new Refusal(
      400,
      'InvalidInput',
      `Invalid request: a routing policy goes with a SetIdentifier in Change with ${where}`,
    );
  if (setIdentifier !== undefined && !/^.{1,128}$/.test(setIdentifier))
    throw new Refusal(400, 'InvalidInput', `SetIdentifier has to have 1 to 128 characters in Change with ${where}`);
  return {
    name: readChangeName(name),
    type,
    ttl: Number(ttl),
    values,
    ...(setIdentifier !== undefined && { setIdentifier }),
    ...(multiValueAnswer && { multiValueAnswer }),
    ...(weight !== undefined && { weight: Number(weight) }),
  };
}

function readChangeName(name: string): DnsName {
  try {
    return readName(name);
  } catch {
    throw new Refusal(
      400,
      'InvalidChangeBatch',
      `[Invalid Resource Record: FATAL problem: DomainLabelInvalid encountered with '${name}']`,
    );
  }
}

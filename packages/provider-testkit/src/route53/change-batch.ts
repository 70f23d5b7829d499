import { type DnsName, isWithin } from '@zoneproof/dns';
import { wireName } from './names.ts';
import { type Change, type RecordSet, sameSet, setKey } from './record-set.ts';
import { readTxtValue } from './txt-value.ts';

const maxRecords = 1_000;
const maxValueCharacters = 32_000;
const maxValuesPerSet = 400;
const maxMultiValueSets = 100;

/** Why a batch was refused, one message for each change that is to blame. */
export class BatchRefusal extends Error {
  readonly messages: readonly string[];

  constructor(messages: readonly string[]) {
    super(`[${messages.join(', ')}]`);
    this.messages = messages;
  }
}

/**
 * Carries out all changes or none, in their order: the record sets afterwards.
 * https://docs.aws.amazon.com/Route53/latest/APIReference/API_ChangeResourceRecordSets.html
 *
 * @throws BatchRefusal
 */
export function carryOut(
  changes: readonly Change[],
  zone: DnsName,
  before: ReadonlyMap<string, RecordSet>,
): Map<string, RecordSet> {
  checkSize(changes);
  const after = new Map(before);
  const touched = new Set<string>();
  const messages: string[] = [];
  for (const change of changes) {
    const { action, set } = change;
    const key = setKey(set);
    const problem =
      problemOfSet(set, zone) ??
      (touched.has(`${action} ${key}`) || (action === 'DELETE' && touched.has(`CREATE ${key}`))
        ? `The request contains an invalid set of changes for a resource record set '${set.type} ${wireName(set.name)}'`
        : undefined) ??
      problemOfChange(change, zone, after);
    touched.add(`${action} ${key}`);
    if (problem !== undefined) messages.push(problem);
    else if (action === 'DELETE') after.delete(key);
    else after.set(key, set);
  }
  if (messages.length > 0) throw new BatchRefusal(messages);
  return after;
}

/** https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DNSLimitations.html#limits-api-requests-changeresourcerecordsets */
function checkSize(changes: readonly Change[]): void {
  let records = 0;
  let characters = 0;
  for (const { action, set } of changes) {
    const times = action === 'UPSERT' ? 2 : 1;
    records += times * set.values.length;
    characters += times * set.values.reduce((sum, value) => sum + value.length, 0);
  }
  if (records > maxRecords) throw new BatchRefusal([`Number of records limit of ${maxRecords} exceeded.`]);
  // assumed: only the words for the number of records are known
  if (characters > maxValueCharacters)
    throw new BatchRefusal([`Number of characters limit of ${maxValueCharacters} exceeded.`]);
}

function problemOfSet({ name, type, values }: RecordSet, zone: DnsName): string | undefined {
  if (!isWithin(name, zone)) return `RRSet with DNS name ${wireName(name)} is not permitted in zone ${wireName(zone)}`;
  const twice = values.find((value, at) => values.indexOf(value) !== at);
  if (twice !== undefined) return `Duplicate Resource Record: '${twice}'`;
  if (values.length > maxValuesPerSet) return `Cannot have more than ${maxValuesPerSet} records in a RRSet.`;
  if (type !== 'TXT') return undefined;
  for (const value of values) {
    const read = readTxtValue(value);
    if ('problem' in read)
      return `Invalid Resource Record: 'FATAL problem: ${read.problem} encountered with '${value}''`;
  }
  return undefined;
}

/**
 * The words are those that users quote: https://github.com/kubernetes-sigs/external-dns/issues/5939 (exists),
 * https://github.com/hashicorp/terraform-provider-aws/issues/37806 and https://github.com/barnybug/cli53/issues/317 (not
 * found, identifiers), https://github.com/kubernetes-sigs/external-dns/issues/3203 (do not match),
 * https://github.com/cert-manager/cert-manager/issues/5388 (multivalue beside others; the quotation marks there belong to
 * cert-manager's identifiers), https://github.com/kubernetes-sigs/external-dns/issues/4345 (weighted beside others),
 * https://github.com/hashicorp/terraform/issues/9732 (CNAME).
 * assumed: that a multivalue set beside weighted ones is refused in the same words as beside a simple one
 */
function problemOfChange(
  { action, set }: Change,
  zone: DnsName,
  stored: ReadonlyMap<string, RecordSet>,
): string | undefined {
  const known = stored.get(setKey(set));
  const identifier = set.setIdentifier === undefined ? '' : `, set-identifier='${set.setIdentifier}'`;
  const what = `resource record set [name='${wireName(set.name)}', type='${set.type}'${identifier}]`;
  if (action === 'DELETE') {
    if (known === undefined) return `Tried to delete ${what} but it was not found`;
    return sameSet(known, set)
      ? undefined
      : `Tried to delete ${what} but the values provided do not match the current values`;
  }
  if (action === 'CREATE' && known !== undefined) return `Tried to create ${what} but it already exists`;
  const beside = [...stored.values()].filter((other) => other.name === set.name && setKey(other) !== setKey(set));
  if (beside.some(({ type }) => type === 'CNAME'))
    return `RRSet of type ${set.type} with DNS name ${wireName(set.name)} is not permitted because a conflicting RRSet of type  CNAME with the same DNS name already exists in zone ${wireName(zone)}`;
  const sameType = beside.filter(({ type }) => type === set.type);
  const kind = `RRSet with DNS name ${wireName(set.name)}, type ${set.type}`;
  if (set.setIdentifier === undefined && sameType.length > 0)
    return `${kind} cannot be created as other RRSets exist with the same name and type.`;
  if (sameType.some((other) => other.multiValueAnswer !== set.multiValueAnswer))
    return set.multiValueAnswer === true
      ? `${kind}, SetIdentifier ${set.setIdentifier} cannot be created because a non multivalue answer rrset exists with the same name and type.`
      : `${kind}, SetIdentifier ${set.setIdentifier} cannot be created as a non-weighted set exists with the same name and type.`;
  // https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DNSLimitations.html#limits-api-entities-records
  if (sameType.length >= maxMultiValueSets)
    return `${kind}: no more than ${maxMultiValueSets} sets of one name and type`;
  return undefined;
}

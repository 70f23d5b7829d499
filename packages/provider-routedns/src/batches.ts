import type { Change } from '@aws-sdk/client-route-53';

// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DNSLimitations.html#limits-api-requests-changeresourcerecordsets
const maxRecords = 1_000;
const maxCharacters = 32_000;

/** Cuts a list into parts that each fit one request; one item's changes stay together. Pure. */
export function toBatches<Item>(
  items: readonly Item[],
  changesOf: (item: Item) => readonly Change[],
): readonly Item[][] {
  const batches: Item[][] = [];
  let records = maxRecords;
  let characters = maxCharacters;
  for (const item of items) {
    const values = changesOf(item).flatMap(({ ResourceRecordSet }) => ResourceRecordSet?.ResourceRecords ?? []);
    const size = values.reduce((sum, { Value = '' }) => sum + Value.length, 0);
    if (batches.length === 0 || records + values.length > maxRecords || characters + size > maxCharacters) {
      batches.push([]);
      records = 0;
      characters = 0;
    }
    batches.at(-1)?.push(item);
    records += values.length;
    characters += size;
  }
  return batches;
}

import type { DnsName } from '@zoneproof/dns';
import type { ChangeOutcome } from '../contract/index.ts';
import { valueKey, type WaitingRecord } from './queue.ts';

/** All records of a batch that want the same of one value. */
export interface Group {
  readonly name: DnsName;
  readonly value: string;
  readonly state: 'present' | 'absent';
  readonly records: readonly WaitingRecord[];
}

export function group(records: readonly WaitingRecord[]): readonly Group[] {
  const groups = new Map<
    string,
    { name: DnsName; value: string; state: 'present' | 'absent'; records: WaitingRecord[] }
  >();
  for (const record of records) {
    const known = groups.get(valueKey(record));
    if (known !== undefined) known.records.push(record);
    else
      groups.set(valueKey(record), {
        name: record.name,
        value: record.value,
        state: record.waiter.request.state,
        records: [record],
      });
  }
  return [...groups.values()];
}

export function isConfirmed(outcome: ChangeOutcome | undefined): boolean {
  return outcome?.status === 'changed' || outcome?.status === 'unchanged';
}

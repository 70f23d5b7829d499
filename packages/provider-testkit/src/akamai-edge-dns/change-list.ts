import { randomUUID } from 'node:crypto';
import type { RecordSets, StagedEdit, Zone } from './zone.ts';

/**
 * A user's edits of a zone, bound to the version that was active when it was made:
 * https://techdocs.akamai.com/edge-dns/reference/use-change-lists
 */
export class ChangeList {
  readonly zone: Zone;
  readonly baseVersionId: string;
  readonly base: RecordSets;
  readonly edits: StagedEdit[] = [];
  sets: RecordSets;
  changeTag: string = randomUUID();
  modifiedAt: number;

  constructor(zone: Zone, now: number) {
    this.zone = zone;
    this.baseVersionId = zone.versionId;
    this.base = zone.sets;
    this.sets = zone.sets;
    this.modifiedAt = now;
  }

  /** "If a new version of the zone is activated, any change lists attached to previous versions become stale." */
  get stale(): boolean {
    return this.zone.versionId !== this.baseVersionId;
  }

  stage(edit: StagedEdit, sets: RecordSets, now: number): void {
    this.edits.push(edit);
    this.sets = sets;
    this.changeTag = randomUUID();
    this.modifiedAt = now;
  }

  /** https://techdocs.akamai.com/edge-dns/reference/get-changelists-zone */
  describe(): object {
    return {
      zone: this.zone.name,
      changeTag: this.changeTag,
      zoneVersionId: this.baseVersionId,
      lastModifiedDate: new Date(this.modifiedAt).toISOString(),
      stale: this.stale,
    };
  }

  /** https://techdocs.akamai.com/edge-dns/reference/get-changelists-zone-diff */
  diff(): object {
    const keys = new Set([...this.base.keys(), ...this.sets.keys()]);
    const recordSetDiffs = [...keys].flatMap((key) => {
      const [from, to] = [this.base.get(key), this.sets.get(key)];
      const { name, type } = (from ?? to) as { name: string; type: string };
      const value = (set: typeof from) => set && { ttl: set.ttl, rdata: set.rdata };
      if (JSON.stringify(value(from)) === JSON.stringify(value(to))) return [];
      const operation = from === undefined ? 'ADD' : to === undefined ? 'DELETE' : 'EDIT';
      return [{ name, type, operation, ...(from && { fromValue: value(from) }), ...(to && { toValue: value(to) }) }];
    });
    return {
      metadata: {
        fromVersionId: this.baseVersionId,
        toVersionId: this.changeTag,
        fromVersionLastModifiedDate: new Date(this.zone.modifiedAt).toISOString(),
        toVersionLastModifiedDate: new Date(this.modifiedAt).toISOString(),
      },
      diffs: { settingsDiffs: [], recordSetDiffs },
    };
  }

  /** "annotated with the related change": https://techdocs.akamai.com/edge-dns/reference/get-changelists-zone-recordsets */
  annotated(): readonly object[] {
    const keys = new Set([...this.base.keys(), ...this.sets.keys()]);
    return [...keys].map((key) => {
      const [from, to] = [this.base.get(key), this.sets.get(key)];
      // assumed: the words NEW and MODIFIED; PRISTINE and DELETED are those of the page.
      const state = from === undefined ? 'NEW' : to === undefined ? 'DELETED' : from === to ? 'PRISTINE' : 'MODIFIED';
      return { ...(to ?? from), state };
    });
  }
}

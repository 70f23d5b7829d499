import type { MetricDefinition } from './definitions/definition.ts';
import { others } from './definitions/others.ts';
import { ownProcess } from './definitions/own-process.ts';
import { storedObjects } from './definitions/stored-objects.ts';

export type { MetricDefinition } from './definitions/definition.ts';

/** Every metric, by the heading that docs/metrics.md shows it under. */
export const metricGroups = { ...storedObjects, ...others, ...ownProcess };

type Groups = typeof metricGroups;
type Union<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer All) => void ? All : never;
/** Every metric by name. */
export type MetricDefinitions = Union<Groups[keyof Groups]>;
export type MetricName = keyof MetricDefinitions;
export type MetricNameOf<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: MetricDefinitions[Name]['type'] extends Type ? Name : never;
}[MetricName];
export type LabelOf<Name extends MetricName> = keyof MetricDefinitions[Name]['labels'] & string;

export const metricDefinitions: Readonly<Record<MetricName, MetricDefinition>> = Object.assign(
  {},
  ...Object.values(metricGroups),
);

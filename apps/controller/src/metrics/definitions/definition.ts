/** One metric: what it is called is its key in the groups. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One sentence; the HELP line. */
  readonly help: string;
  /** Each label, and what its values are. */
  readonly labels: Readonly<Record<string, string>>;
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
  /** Absent: both homes. */
  readonly home?: 'standalone' | 'Kubernetes';
  /** How many time series there are at most. */
  readonly series: string;
}

export type MetricGroups = Readonly<Record<string, Readonly<Record<string, MetricDefinition>>>>;

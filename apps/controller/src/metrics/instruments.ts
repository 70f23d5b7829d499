import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type LabelOf, type MetricName, type MetricNameOf, metricDefinitions } from './definitions.ts';

/** The metrics of one process as prom-client holds them, made when they are first asked for. */
export interface Instruments {
  counter<Name extends MetricNameOf<'counter'>>(name: Name): Counter<LabelOf<Name>>;
  gauge<Name extends MetricNameOf<'gauge'>>(name: Name): Gauge<LabelOf<Name>>;
  histogram<Name extends MetricNameOf<'histogram'>>(name: Name): Histogram<LabelOf<Name>>;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
}

export function createInstruments(): Instruments {
  const registry = new Registry();
  const registers = [registry];
  const describe = <Name extends MetricName>(name: Name) => {
    const { help, labels } = metricDefinitions[name];
    return { name, help, labelNames: Object.keys(labels) as LabelOf<Name>[], registers };
  };
  return {
    counter: (name) => new Counter(describe(name)),
    gauge: (name) => new Gauge(describe(name)),
    histogram: (name) => new Histogram({ ...describe(name), buckets: [...(metricDefinitions[name].buckets ?? [])] }),
    text: () => registry.metrics(),
  };
}

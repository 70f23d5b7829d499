import { type MetricNameOf, metricDefinitions } from './definitions.ts';

/**
 * Gauges with a series an object, in the text format of Prometheus. Thirty thousand of them are computed at each scrape
 * and not kept: through prom-client they take ten times as long.
 */
export class ObjectSeries {
  readonly #lines = new Map<MetricNameOf<'gauge'>, string[]>();

  constructor(names: readonly MetricNameOf<'gauge'>[]) {
    for (const name of names) this.#lines.set(name, []);
  }

  /** @param labels as {@link labelText} makes them, once for all series of an object */
  add(name: MetricNameOf<'gauge'>, labels: string, value: number): void {
    this.#lines.get(name)?.push(`${name}{${labels}} ${value}`);
  }

  text(): string {
    const blocks: string[] = [];
    for (const [name, lines] of this.#lines)
      blocks.push(`# HELP ${name} ${metricDefinitions[name].help}\n# TYPE ${name} gauge`, ...lines);
    return `${blocks.join('\n')}\n`;
  }
}

export function labelText(labels: Readonly<Record<string, string>>): string {
  let text = '';
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escaped(labels[name] as string)}"`;
  return text;
}

function escaped(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

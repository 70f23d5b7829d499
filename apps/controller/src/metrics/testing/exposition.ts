/** One line of the text format: its name, labels and value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads the text format of Prometheus. @throws Error for a line that is none, and for a series that is there twice */
export function readExposition(text: string): {
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly Sample[];
  /** The value of the one series with these labels. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
} {
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  const seen = new Set<string>();
  for (const line of text.split('\n')) {
    const [, typed, type = ''] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
    if (typed !== undefined) types.set(typed, type);
    if (line === '' || line.startsWith('#')) continue;
    const [, name, inBraces = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || seen.has(`${name}{${inBraces}}`))
      throw new Error(`not a sample, or there twice: ${line}`);
    seen.add(`${name}{${inBraces}}`);
    const pairs = [...inBraces.matchAll(/(\w+)="((?:[^"\\]|\\.)*)",?/g)];
    samples.push({ name, labels: Object.fromEntries(pairs.map(([, key, of]) => [key, of])), value: Number(value) });
  }
  const isPart = (part: Readonly<Record<string, string>>, whole: Readonly<Record<string, string>>): boolean =>
    Object.entries(part).every(([key, value]) => whole[key] === value);
  return {
    types,
    samples,
    value: (name, labels = {}) => {
      const found = samples.filter((sample) => sample.name === name && isPart(labels, sample.labels));
      if (found.length > 1) throw new Error(`${found.length} series ${name} ${JSON.stringify(labels)}`);
      return found[0]?.value;
    },
  };
}

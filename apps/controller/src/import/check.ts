import type { ProviderRegistry } from '@zoneproof/core';
import { checkManifests, type ManifestProblem } from '../manifests/index.ts';
import type { Told } from './finding.ts';
import type { Fields } from './rules.ts';
import type { Taken } from './taken.ts';
import { manifestText } from './write.ts';

/**
 * Our own check of manifests has the last word: what it refuses is left out, and then what depends on that.
 *
 * @param secretsOf the Secrets that come along with objects
 * @param tell hears of errors, and of the warnings about what is left
 */
export async function withoutInvalid(
  converted: readonly Taken[],
  secretsOf: (objects: readonly Taken[]) => readonly Fields[],
  registry: ProviderRegistry,
  tell: (from: Taken['from'], told: Told) => void,
): Promise<readonly Taken[]> {
  for (let objects = converted; ; ) {
    const texts = [
      ...objects.map(({ manifest }, i) => ({ file: `${i}`, text: manifestText(manifest) })),
      ...secretsOf(objects).map((secret, i) => ({ file: `secret ${i}`, text: manifestText(secret) })),
    ];
    const { problems } = await checkManifests(texts, { registry, secretsElsewhere: true });
    const byFile = new Map<string, ManifestProblem[]>();
    for (const problem of problems) byFile.set(problem.file, [...(byFile.get(problem.file) ?? []), problem]);
    const about = (object: number): readonly ManifestProblem[] => byFile.get(`${object}`) ?? [];
    const isGood = (_taken: Taken, i: number): boolean => !about(i).some(({ severity }) => severity === 'error');
    const good = objects.filter(isGood);
    for (const [i, { from }] of objects.entries())
      for (const { severity, message } of about(i))
        if (severity === 'error') tell(from, refused(message));
        else if (good.length === objects.length) tell(from, warned(message));
    if (good.length === objects.length) return objects;
    objects = good;
  }
}

function refused(message: string): Told {
  return {
    level: 'refused',
    why: `zoneproof would not take it: ${message}`,
    todo: 'Correct that in what is imported.',
  };
}

function warned(message: string): Told {
  return { level: 'note', why: message, todo: 'It is taken over nevertheless.' };
}

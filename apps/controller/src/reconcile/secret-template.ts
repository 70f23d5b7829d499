import { createHash } from 'node:crypto';
import type { Secret, SecretTemplate } from '../resources/types.ts';
import type { NewMeta, SecretContent } from '../store/store.ts';

/** On a Secret: which secretTemplate it follows, so that what was taken out of it is noticed. */
const templateAnnotation = 'zoneproof.dev/secret-template';

/**
 * In what a Secret differs from what it shall be beside key and chain; undefined: in nothing.
 *
 * template  the template is another one than the Secret was written by
 * other     somebody changed a label, an annotation or ca.crt since
 */
export function driftOf(
  { metadata, data }: Secret,
  template: SecretTemplate | undefined,
  content: SecretContent,
): 'template' | 'other' | undefined {
  const { labels, annotations } = templateMeta(template);
  if (metadata.annotations?.[templateAnnotation] !== annotations?.[templateAnnotation]) return 'template';
  const isThere = (wanted: Texts | undefined, found: Texts | undefined): boolean =>
    Object.entries(wanted ?? {}).every(([key, value]) => found?.[key] === value);
  const isWhole = Object.entries(content.data).every(([entry, value]) => {
    const found = data.get(entry);
    return found !== undefined && Buffer.from(found).equals(Buffer.from(value));
  });
  return isWhole && isThere(labels, metadata.labels) && isThere(annotations, metadata.annotations)
    ? undefined
    : 'other';
}

/** The labels and annotations of the template, and the word that tells one template from the next. */
export function templateMeta(template: SecretTemplate = {}): Pick<NewMeta, 'labels' | 'annotations'> {
  const labels = allowed(template.labels);
  const annotations = allowed(template.annotations);
  if (labels.length + annotations.length === 0) return {};
  const word = createHash('sha256')
    .update(JSON.stringify([labels, annotations]))
    .digest('hex')
    .slice(0, 16);
  return {
    ...(labels.length === 0 ? {} : { labels: Object.fromEntries(labels) }),
    annotations: Object.fromEntries([...annotations, [templateAnnotation, word]]),
  };
}

type Texts = Readonly<Record<string, string>>;

/** In the order of their keys; those that are ours to set are left out. */
function allowed(texts: Texts = {}): readonly (readonly [string, string])[] {
  return Object.entries(texts)
    .filter(([key]) => !isReservedKey(key))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Keys of labels and annotations that zoneproof itself sets on Secrets. */
export function isReservedKey(key: string): boolean {
  return /^([a-z0-9.-]+\.)?zoneproof\.dev\//.test(key) || key === 'app.kubernetes.io/managed-by';
}

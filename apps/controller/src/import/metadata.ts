import type { ForeignObject } from './objects.ts';
import type { Fields } from './rules.ts';

/** Labels and annotations by which tools find what they have made: a copy of them would make them quarrel. */
const ofTools = [
  /^(?:[\w-]+\.)?cert-manager\.io\//,
  /^kubectl\.kubernetes\.io\//,
  /^app\.kubernetes\.io\/managed-by$/,
  /^(?:meta\.)?helm\.sh\//,
  /(?:^|\.)argoproj\.io\//,
  /\.toolkit\.fluxcd\.io\//,
];

/** `metadata` of our object. */
export function metadataOf({ namespace, name, labels, annotations }: ForeignObject): Fields {
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...texts('labels', labels),
    ...texts('annotations', annotations),
  };
}

function texts(field: string, all: Readonly<Record<string, string>>): Fields {
  const kept = Object.entries(all).filter(([key]) => !ofTools.some((pattern) => pattern.test(key)));
  return kept.length === 0 ? {} : { [field]: Object.fromEntries(kept) };
}

/** `Issuer shop/le`; without its namespace when none is written. */
export function titleOf({ kind, namespace, name }: Pick<ForeignObject, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

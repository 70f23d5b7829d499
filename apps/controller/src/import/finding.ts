/**
 * Something that does not come along as it is.
 *
 * left-out  it has no counterpart: a person decides what to do
 * note      it is taken over in another form, or nothing depends on it
 */
export interface Finding {
  readonly level: 'left-out' | 'note';
  /** `Issuer shop/letsencrypt`: cert-manager's object. */
  readonly object: string;
  /** `spec.acme.preferredChain`; absent: the object as a whole. */
  readonly field?: string;
  /** Absent when it was read from a cluster. */
  readonly file?: string;
  readonly line?: number;
  /** Two sentences, without the values of Secrets. */
  readonly why: string;
  readonly todo: string;
}

/** What is said of a field or an object, before it has a place. */
export interface Told {
  /** `refused`: without it the provider, Issuer or Certificate around it is not taken over either. */
  readonly level: Finding['level'] | 'refused';
  readonly why: string;
  readonly todo: string;
}

/** `manifests/cm.yaml:12: left out: Issuer shop/le: spec.acme.preferredChain: ...`, the form that editors recognise. */
export function showFinding({ file, line, level, object, field, why, todo }: Finding): string {
  const place = file === undefined ? '' : `${file}:${line}: `;
  return `${place}${level === 'note' ? 'note' : 'left out'}: ${object}: ${field === undefined ? '' : `${field}: `}${why} ${todo}`;
}

import type { ForeignObject } from './objects.ts';
import type { Fields } from './rules.ts';

/** One of our objects, made from one of theirs. */
export interface Taken {
  readonly from: ForeignObject;
  readonly manifest: Fields;
}

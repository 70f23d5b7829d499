export type * from './types.ts';
export { LocateError } from './types.ts';

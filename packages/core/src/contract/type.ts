/**
 * TypeBox as the schemas of provider blocks and resources need it. The build turns this file into one without imports
 * (tools/bundle-type.mjs): TypeBox comes in 375 files, and reading them would be a fifth of a short command's time.
 */
export { type Static, type TObject, type TString, Type } from 'typebox';

export { type Inputs, main } from './cli/main.ts';

export { type Disturbance, emulatorDisturbances } from './disturbance.ts';
export { type TwoWritersOptions, type TwoWritersReport, twoWriters } from './two-writers.ts';

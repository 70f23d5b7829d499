export { describeTwoWriters } from './describe-two-writers.ts';
export { type Disturbance, emulatorDisturbances } from './disturbance.ts';
export { FastTime } from './fast-time.ts';
export { type HostParts, type Life, WritingHost } from './host.ts';
export { SeededRandom } from './random.ts';
export { type SoakFixture, type TwoWritersOptions, type TwoWritersReport, twoWriters } from './two-writers.ts';

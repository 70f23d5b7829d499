/** For tests of what is built on this package: time that moves when the test says so. */
export { FakeClock } from './time/fake-clock.ts';

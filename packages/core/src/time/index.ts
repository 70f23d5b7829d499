export { onAbort } from './on-abort.ts';
export {
  pause,
  randomShare,
  systemClock,
  systemRandom,
  systemTimers,
  type TimerHandle,
  type Timers,
} from './timers.ts';

export { createEventRecorder, type EventRecorder, type EventRecorderOptions } from './recorder.ts';

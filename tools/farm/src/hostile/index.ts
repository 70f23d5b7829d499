export { fuzzProvider } from './fuzz-provider.ts';
export { type AnsweringFixture, type HostileWorld, recordAnswers } from './provider.ts';
export { hostileJson, hostileText } from './text.ts';

import { mkdir } from 'node:fs/promises';
import { describeDiskError } from './disk-error.ts';

test('a refusal by the file system says what it means, and where', async () => {
  const error = await mkdir('/dev/null/state').catch((caught: unknown) => caught);
  expect(describeDiskError(error)).toBe('a file is in the way (ENOTDIR, mkdir /dev/null/state)');
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  expect(describeDiskError(full)).toBe('the disk is full: make room (ENOSPC, write)');
});

test.each([[new TypeError('x is not a function')], [Object.assign(new Error('x'), { code: 'ERR_X' })], ['text']])(
  '%s is none',
  (error) => expect(describeDiskError(error)).toBeUndefined(),
);

import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inDirectory, until } from './testing/run-main.ts';
import { watchFiles } from './watch-files.ts';

const watched = (use: (directory: string, calls: () => number) => Promise<void>, rescanMs?: number, failures = 0) =>
  inDirectory(async (directory) => {
    await mkdir(join(directory, 'manifests'));
    await mkdir(join(directory, 'secrets', 'tsig'), { recursive: true });
    await writeFile(join(directory, 'secrets', 'tsig', 'secret'), 'one');
    await writeFile(join(directory, 'manifests', 'a.yaml'), 'a: 1');
    let calls = 0;
    const watch = await watchFiles(
      { paths: [join(directory, 'manifests')], secretsDir: join(directory, 'secrets') },
      async () => ++calls > failures,
      rescanMs,
    );
    try {
      await use(directory, () => calls);
    } finally {
      watch.close();
    }
  });

test.each<[string, (directory: string) => Promise<unknown>]>([
  ['a new manifest', (directory) => writeFile(join(directory, 'manifests', 'b.yaml'), '')],
  ['a changed one', (directory) => writeFile(join(directory, 'manifests', 'a.yaml'), 'a: 2')],
  ['one that is gone', (directory) => rm(join(directory, 'manifests', 'a.yaml'))],
  [
    'one replaced by rename',
    async (directory) => {
      await writeFile(join(directory, 'manifests', '.a.tmp'), 'a: 1');
      await rename(join(directory, 'manifests', '.a.tmp'), join(directory, 'manifests', 'a.yaml'));
    },
  ],
])('%s is noticed', (_title, change) =>
  watched(async (directory, calls) => {
    await change(directory);
    await until('the call', () => calls() === 1);
  }),
);

test('other files are none of its business, several changes together are one call', () =>
  watched(async (directory, calls) => {
    await mkdir(join(directory, 'manifests', 'state'));
    await writeFile(join(directory, 'manifests', 'notes.txt'), '');
    await Promise.all(['x', 'y', 'z'].map((name) => writeFile(join(directory, 'manifests', `${name}.yaml`), '')));
    await until('the call', () => calls() > 0);
    expect(calls()).toBe(1);
  }));

test('what no event tells, a rotated secret for one, the next look finds', () =>
  watched(async (directory, calls) => {
    await writeFile(join(directory, 'secrets', 'tsig', 'secret'), 'two');
    await until('the call', () => calls() === 1);
  }, 300));

test('what could not be put to use is tried again though nothing changes any more, and then no more', () =>
  watched(
    async (directory, calls) => {
      await writeFile(join(directory, 'manifests', 'a.yaml'), 'a: 2');
      await until('the first call', () => calls() === 1);
      // Events of other files, a log beside the manifests for one, are no reason to hurry.
      await writeFile(join(directory, 'log'), 'x');
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(calls()).toBe(1);
      await until('the third call', () => calls() === 3);
      await new Promise((resolve) => setTimeout(resolve, 1_200)); // a look, whose absence of calls is the point
      expect(calls()).toBe(3);
    },
    1_000,
    2,
  ));

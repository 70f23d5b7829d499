// `npm run soak [-- PATTERN...]`: the proofs by length, tests named *.fuzz.test.ts and *.soak.test.ts. `npm test` leaves
// them out; .ci/run has them for 30 s each. ZONEPROOF_SOAK_SECONDS: how long each goes on (600). ZONEPROOF_SOAK_SEED repeats a run.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const seconds = process.env.ZONEPROOF_SOAK_SECONDS ?? '600';
const seed = process.env.ZONEPROOF_SOAK_SEED ?? String(randomInt(2 ** 31));
console.log(`soak: ${seconds} s each; repeat with ZONEPROOF_SOAK_SEED=${seed}`);

const matches = ['**/*.fuzz.test.ts', '**/*.soak.test.ts'].flatMap((match) => ['--testMatch', match]);
// Most wait for somebody half of their time.
const workers = ['--maxWorkers', '3'];
const jest = [
  '--experimental-vm-modules',
  'node_modules/jest/bin/jest.js',
  ...workers,
  ...matches,
  '--',
  ...process.argv.slice(2),
];
const child = spawn(process.execPath, jest, {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ZONEPROOF_SOAK_SECONDS: seconds, ZONEPROOF_SOAK_SEED: seed },
});
child.on('close', (code) => {
  if (code !== 0) console.log(`soak: failed; repeat with ZONEPROOF_SOAK_SEED=${seed}`);
  process.exitCode = code ?? 1;
});

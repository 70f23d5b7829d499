// Prints the sum of several jest --json results as `N passed, N failed, N skipped`; exit code 1 when one failed or one
// file did not even load.
import { readFileSync } from 'node:fs';

const sum = { passed: 0, failed: 0, skipped: 0 };
for (const path of process.argv.slice(2)) {
  const result = JSON.parse(readFileSync(path, 'utf8'));
  const unloaded = result.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  for (const file of unloaded) console.log(`did not load: ${file.name}`);
  sum.passed += result.numPassedTests;
  sum.failed += result.numFailedTests + unloaded.length;
  sum.skipped += result.numPendingTests + result.numTodoTests;
}
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exitCode = sum.failed === 0 && sum.passed > 0 ? 0 : 1;

// Runs the suites that need another language on the machine. A suite whose language is missing is left out by name.
// Ends with one line `N passed, N failed`, with how many were left out where any were, and exit code 1 where anything failed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const scratch = mkdtempSync(join(tmpdir(), 'reenact-interop-'));
const resultFile = join(scratch, 'vitest.json');

/** The suites' own counts; a run that wrote no result, or found no test, counts as one failure. */
function readCounts(): { passed: number; failed: number; skipped: number } {
  try {
    const result = JSON.parse(readFileSync(resultFile, 'utf8')) as Record<string, number>;
    const passed = result.numPassedTests ?? 0;
    const skipped = result.numPendingTests ?? 0;
    const failedTests = result.numFailedTests ?? 0;
    const failed = failedTests === 0 ? (result.numFailedTestSuites ?? 0) : failedTests;
    return { passed, skipped, failed: passed + failed + skipped === 0 ? 1 : failed };
  } catch {
    return { passed: 0, skipped: 0, failed: 1 };
  }
}

const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`];
const { status } = spawnSync('vitest', ['run', '--config', 'test/vitest.interop.config.ts', ...options], {
  cwd: new URL('..', import.meta.url).pathname,
  stdio: ['ignore', 'inherit', 'inherit'],
});
const { passed, skipped, failed } = readCounts();
rmSync(scratch, { recursive: true, force: true });
const failures = status !== 0 && failed === 0 ? 1 : failed;
console.log(`${passed} passed, ${failures} failed${skipped === 0 ? '' : `, ${skipped} left out`}`);
process.exitCode = failures === 0 ? 0 : 1;

// Runs the suites that take minutes at their full size. `npm test` runs the same ones smaller.
// Ends with one line `N passed, N failed`, and exit code 1 where anything failed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const scratch = mkdtempSync(join(tmpdir(), 'reenact-heavy-'));
const resultFile = join(scratch, 'vitest.json');

/** The suites' own counts; a run that wrote no result, or found no test, counts as one failure. */
function readCounts(): { passed: number; failed: number } {
  try {
    const result = JSON.parse(readFileSync(resultFile, 'utf8')) as Record<string, number>;
    const passed = result.numPassedTests ?? 0;
    const failedTests = result.numFailedTests ?? 0;
    const failed = failedTests === 0 ? (result.numFailedTestSuites ?? 0) : failedTests;
    return { passed, failed: passed + failed === 0 ? 1 : failed };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`];
const { status } = spawnSync('vitest', ['run', '--config', 'test/vitest.heavy.config.ts', ...options], {
  cwd: new URL('..', import.meta.url).pathname,
  stdio: ['ignore', 'inherit', 'inherit'],
});
const { passed, failed } = readCounts();
rmSync(scratch, { recursive: true, force: true });
const failures = status !== 0 && failed === 0 ? 1 : failed;
console.log(`${passed} passed, ${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;

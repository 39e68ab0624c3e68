// Runs the suites that take minutes at their full size. `npm test` runs the same ones smaller.
// Ends with one line `N passed, N failed`, and exit code 1 where anything failed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
  /** Files whose process died, so that none of their tests has a result. */
  readonly died: readonly string[];
}

const scratch = mkdtempSync(join(tmpdir(), 'reenact-heavy-'));

function isDead({ status, assertionResults }: FileResult): boolean {
  return status === 'failed' && assertionResults.every((test) => test.status !== 'failed');
}

/** The suites' own counts; a run that wrote no result, or found no test, counts as one failure. */
function readCounts(resultFile: string, exitCode: number | null): Counts {
  try {
    const result = JSON.parse(readFileSync(resultFile, 'utf8')) as { testResults: readonly FileResult[] };
    const died = result.testResults.filter(isDead).map(({ name }) => name);
    const statuses = result.testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
    const passed = statuses.filter((status) => status === 'passed').length;
    const failed = statuses.filter((status) => status === 'failed').length;
    const isUnexplained = exitCode !== 0 && failed === 0 && died.length === 0;
    return { passed, failed: passed + failed + died.length === 0 || isUnexplained ? failed + 1 : failed, died };
  } catch {
    return { passed: 0, failed: 1, died: [] };
  }
}

function run(name: string, files: readonly string[]): Counts {
  const resultFile = join(scratch, `${name}.json`);
  const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`];
  const { status } = spawnSync('vitest', ['run', '--config', 'test/vitest.heavy.config.ts', ...options, ...files], {
    cwd: new URL('..', import.meta.url).pathname,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return readCounts(resultFile, status);
}

/** Vitest tries a failed test again in CI, and cannot where its whole process died; then that file is run once more, and it is told. */
function runAll(): { readonly passed: number; readonly failed: number } {
  const first = run('first', []);
  if (first.died.length === 0) return first;
  if (process.env.CI !== 'true') return { passed: first.passed, failed: first.failed + first.died.length };
  console.log(`✗ the process of a suite died, see above; once more: ${first.died.join(', ')}`);
  const second = run('second', first.died);
  return { passed: first.passed + second.passed, failed: first.failed + second.failed + second.died.length };
}

const { passed, failed } = runAll();
rmSync(scratch, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

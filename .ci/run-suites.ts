// Runs suites by Vitest, and once more those files that ended without a result of their own.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

/** What a run of suites counted. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  /** Tests that this machine lacks something for. */
  readonly leftOut: number;
}

interface RunCounts extends Counts {
  /** Files that failed without a failed test: their process died, or what comes before their tests failed. */
  readonly broken: readonly string[];
}

function isBroken({ status, assertionResults }: FileResult): boolean {
  return status === 'failed' && assertionResults.every((test) => test.status !== 'failed');
}

/** The suites' own counts; a run that wrote no result, found no test, or failed without saying where counts as one failure. */
function readCounts(resultFile: string, exitCode: number | null): RunCounts {
  try {
    const result = JSON.parse(readFileSync(resultFile, 'utf8')) as { testResults: readonly FileResult[] };
    const broken = result.testResults.filter(isBroken).map(({ name }) => name);
    const told = result.testResults.filter((file) => !isBroken(file));
    const statuses = told.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
    const passed = statuses.filter((status) => status === 'passed').length;
    const failed = statuses.filter((status) => status === 'failed').length;
    const leftOut = statuses.length - passed - failed;
    const isUnexplained = exitCode !== 0 && failed + broken.length === 0;
    return { passed, failed: result.testResults.length === 0 || isUnexplained ? failed + 1 : failed, leftOut, broken };
  } catch {
    return { passed: 0, failed: 1, leftOut: 0, broken: [] };
  }
}

function runOnce(config: string, filters: readonly string[]): RunCounts {
  const scratch = mkdtempSync(join(tmpdir(), 'reenact-suites-'));
  const resultFile = join(scratch, 'vitest.json');
  const reporters = ['--reporter=default', '--reporter=./test/retried-tests.ts'];
  const options = [...reporters, '--reporter=json', `--outputFile.json=${resultFile}`];
  const { status } = spawnSync('vitest', ['run', '--config', config, ...options, ...filters], {
    cwd: new URL('..', import.meta.url).pathname,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      TURBO_TELEMETRY_DISABLED: '1',
      DO_NOT_TRACK: '1',
      // Suites start thousands of processes of the same thousand modules: compiling them is a sixth of each start.
      NODE_COMPILE_CACHE: join(scratch, 'compiled'),
    },
  });
  const counts = readCounts(resultFile, status);
  rmSync(scratch, { recursive: true, force: true });
  return counts;
}

/**
 * Runs the suites of a configuration. In CI, Vitest tries a failed test again; it cannot where a process died, or where
 * what a file does before its tests failed. Such files are run once more then, and it is told: it is a defect all the same.
 */
export function runSuites(config: string, filters: readonly string[]): Counts {
  const first = runOnce(config, filters);
  if (first.broken.length === 0) return first;
  if (process.env.CI !== 'true') return { ...first, failed: first.failed + first.broken.length };
  console.log(`✗ files without a result of their own, see above; once more: ${first.broken.join(', ')}`);
  const second = runOnce(config, first.broken);
  return {
    passed: first.passed + second.passed,
    failed: first.failed + second.failed + second.broken.length,
    leftOut: first.leftOut + second.leftOut,
  };
}

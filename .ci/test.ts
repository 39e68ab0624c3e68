// Everything `npm test` checks, in one place: generated files, types, lint, boundaries, build, then the test suites.
// Ends with one line `N passed, N failed` and exit code 1 where anything failed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';

interface Step {
  readonly name: string;
  readonly command: readonly string[];
}

interface Tally {
  passed: number;
  failed: number;
}

const root = new URL('..', import.meta.url).pathname;
const scratch = mkdtempSync(join(tmpdir(), 'reenact-test-'));
const resultFile = join(scratch, 'vitest.json');

const checks: readonly Step[] = [
  { name: 'generated files are fresh', command: ['node', 'semconv/generate.ts', '--check'] },
  { name: 'build', command: ['turbo', 'run', 'build', '--output-logs=errors-only'] },
  { name: 'types', command: ['tsc', '--project', 'test/tsconfig.json'] },
  { name: 'lint and format', command: ['biome', 'ci', '--log-level=error', '.'] },
  { name: 'import boundaries', command: ['turbo', 'boundaries'] },
];

const filters = process.argv.slice(2);
const suites: Step = {
  name: 'tests',
  command: [
    'vitest',
    'run',
    '--config',
    'test/vitest.config.ts',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${resultFile}`,
    ...filters,
  ],
};

function say(mark: string, colour: 'green' | 'red' | 'cyan', text: string): void {
  console.log(`${styleText(colour, mark)} ${text}`);
}

function run(step: Step, quiet: boolean): boolean {
  const started = Date.now();
  const [program, ...parameters] = step.command;
  const result = spawnSync(program ?? '', parameters, {
    cwd: root,
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const passed = result.status === 0;
  if (!passed && quiet) console.log(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`);
  say(
    passed ? '✓' : '✗',
    passed ? 'green' : 'red',
    `${step.name} (${seconds} s)${passed ? '' : `: ${step.command.join(' ')}`}`,
  );
  return passed;
}

/** The suites' own counts; a run that wrote no result, or tested nothing, counts as one failure. */
function readTally(): Tally {
  try {
    const result = JSON.parse(readFileSync(resultFile, 'utf8')) as Record<string, number>;
    const passed = result.numPassedTests ?? 0;
    const failedTests = result.numFailedTests ?? 0;
    // A suite that could not even be loaded has no failed test to show for it.
    const failed = failedTests === 0 ? (result.numFailedTestSuites ?? 0) : failedTests;
    return passed + failed === 0 ? { passed: 0, failed: 1 } : { passed, failed };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

const tally: Tally = { passed: 0, failed: 0 };
for (const step of checks) {
  if (run(step, true)) tally.passed += 1;
  else tally.failed += 1;
}
const suitesPassed = run(suites, false);
const counted = readTally();
tally.passed += counted.passed;
tally.failed += counted.failed;
if (!suitesPassed && counted.failed === 0) tally.failed += 1;
rmSync(scratch, { recursive: true, force: true });
console.log(`${tally.passed} passed, ${tally.failed} failed`);
process.exitCode = tally.failed === 0 ? 0 : 1;

// Everything `npm test` checks, in one place: generated files, types, lint, boundaries, build, then the test suites, of which those that
// take minutes are left to `npm run e2e` where no folder is named.
// Ends with one line `N passed, N failed` and exit code 1 where anything failed.
import { spawnSync } from 'node:child_process';
import { styleText } from 'node:util';
import { runSuites } from './run-suites.ts';

interface Step {
  readonly name: string;
  readonly command: readonly string[];
}

const root = new URL('..', import.meta.url).pathname;

const checks: readonly Step[] = [
  { name: 'generated files are fresh', command: ['node', 'semconv/generate.ts', '--check'] },
  { name: 'build', command: ['turbo', 'run', 'build', '--output-logs=errors-only'] },
  { name: 'types', command: ['tsc', '--project', 'test/tsconfig.json'] },
  { name: 'lint and format', command: ['biome', 'ci', '--log-level=error', '.'] },
  { name: 'import boundaries', command: ['turbo', 'boundaries'] },
];

function say(passed: boolean, text: string): void {
  console.log(`${styleText(passed ? 'green' : 'red', passed ? '✓' : '✗')} ${text}`);
}

/** Runs one check, and shows what it printed only where it fails. */
function check({ name, command }: Step): boolean {
  const started = Date.now();
  const [program, ...parameters] = command;
  const result = spawnSync(program ?? '', parameters, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const passed = result.status === 0;
  if (!passed) console.log(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`);
  say(passed, `${name} (${seconds} s)${passed ? '' : `: ${command.join(' ')}`}`);
  return passed;
}

const results = checks.map(check);
const started = Date.now();
const folders = process.argv.slice(2);
const suites = runSuites(
  'test/vitest.config.ts',
  folders.length > 0 ? folders : ['--project=plain', '--project=collectors', '--project=own process'],
);
say(suites.failed === 0, `tests (${((Date.now() - started) / 1000).toFixed(1)} s)`);
const passed = suites.passed + results.filter((isPassed) => isPassed).length;
const failed = suites.failed + results.filter((isPassed) => !isPassed).length;
if (folders.length === 0) console.log('Whole programs, and each library in each case: npm run e2e');
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

// Runs the suites that take minutes, or those of them that are named: whole programs, recorded and replayed by the command that users have, killed or
// timed, and each library in each case.
// Ends with one line `N passed, N failed`, and exit code 1 where anything failed.
import { runSuites } from './run-suites.ts';

const { passed, failed } = runSuites('test/vitest.config.ts', ['--project=programs', ...process.argv.slice(2)]);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

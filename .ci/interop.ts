// Runs the suites that need another language on the machine. A suite whose language is missing is left out by name.
// Ends with one line `N passed, N failed`, with how many were left out where any were, and exit code 1 where anything failed.
import { runSuites } from './run-suites.ts';

const { passed, failed, leftOut } = runSuites('test/vitest.interop.config.ts', []);
console.log(`${passed} passed, ${failed} failed${leftOut === 0 ? '' : `, ${leftOut} left out`}`);
process.exitCode = failed === 0 ? 0 : 1;

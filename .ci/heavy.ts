// Runs the suites that take minutes at their full size. `npm test` and `npm run e2e` run the same ones smaller.
// Ends with one line `N passed, N failed`, and exit code 1 where anything failed.
import { runSuites } from './run-suites.ts';

const { passed, failed } = runSuites('test/vitest.heavy.config.ts', []);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

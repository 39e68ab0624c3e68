// Runs the suites that take minutes at their full size. `npm test` and `npm run e2e` run the same ones smaller.
// Ends with one line `N passed, N failed`, and exit code 1 where anything failed.
import { runSuites } from './run-suites.ts';

const percent = process.env.REENACT_HEAVY_PERCENT ?? '100';
if (percent !== '100') console.log(`at ${percent} % of the full size`);
const { passed, failed } = runSuites('test/vitest.heavy.config.ts', []);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

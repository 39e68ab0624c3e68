import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Not 'import', which applies by itself: named here it would reach `require`, and packages of both kinds break.
const conditions = ['@reenact/source', 'node'];

/** Packages and rooms that patch nothing of the process they run in, so their tests need no process of their own each; but one whose ports stay with its process. */
const plain = [
  'semconv/**/*.test.ts',
  'packages/{collector-client,dialects,otlp,recordings,replay,trace-model,ui}/src/**/!(answers-beside-calls).test.ts',
  'packages/reenact/src/{commands,doctor,reading,rendering,replaying,terminal}/**/*.test.ts',
  'collector/src/**/*.test.ts',
  'packages/instrumentation/src/redaction/{messages,rules,streams,text}/**/*.test.ts',
  'test/tidy/**/*.test.ts',
];

/** What collectors answer: each suite has collectors of its own, so those of one process share what it has loaded. */
const collectors = ['test/conformance/{client,query,store}/**/*.test.ts'];

/**
 * Whole programs, recorded and replayed by the command that users have, killed or timed, and each library in each case: two thirds of the time of all
 * suites, so `npm run e2e` has them.
 */
const programs = [
  'test/{bench,e2e,fuzz,replay}/**/*.test.ts',
  'test/conformance/{durability,instrumentation,lifecycle,recorder}/**/*.test.ts',
];

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    exclude: ['**/node_modules/**', '**/dist/**', 'test/interop/**'],
    environment: 'node',
    // Generous, because these run beside whatever else a machine does: a time limit is no proof of anything.
    testTimeout: 90_000,
    hookTimeout: 150_000,
    // Vitest names every test that needed a second try. It is a defect, and none that may keep everything else from landing.
    retry: process.env.CI === 'true' ? 1 : 0,
    pool: 'forks',
    // One more than there are processors: the longest suites mostly wait, for processes that they have started and for time to pass.
    maxWorkers: availableParallelism() + 1,
    projects: [
      { extends: true, test: { name: 'plain', include: plain, isolate: false } },
      { extends: true, test: { name: 'collectors', include: collectors, isolate: false } },
      {
        extends: true,
        test: {
          name: 'own process',
          include: ['packages/**/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...plain, ...collectors, ...programs],
        },
      },
      { extends: true, test: { name: 'programs', include: programs } },
    ],
  },
});

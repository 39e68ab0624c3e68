import { defineConfig } from 'vitest/config';

// Without the source's condition: what runs for minutes is what is shipped, and `npm run heavy` builds it first.
const conditions = ['node'];

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Suites of `npm test` that are run here at their full size, as the variables below say.
    include: [
      'test/conformance/recorder/kill.test.ts',
      'test/conformance/durability/kill.test.ts',
      'collector/src/store/worker/power-cut.test.ts',
      'test/fuzz/**/*.test.ts',
    ],
    env: {
      REENACT_TEST_KILLS: '200',
      REENACT_TEST_COLLECTOR_KILLS: '100',
      REENACT_TEST_POWER_CUTS: '60',
      REENACT_TEST_FUZZ_CASES: '1000000',
      REENACT_TEST_DAMAGED_STORES: '300',
    },
    environment: 'node',
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
    // As in `npm test`, and for as long.
    retry: process.env.CI === 'true' ? 1 : 0,
    pool: 'forks',
    fileParallelism: false,
  },
});

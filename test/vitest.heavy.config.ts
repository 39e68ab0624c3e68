import { defineConfig } from 'vitest/config';

/** Suites of `npm test` that are run here at their full size, as the variables below say. */
const kills = [
  'test/conformance/recorder/kill.test.ts',
  'test/conformance/durability/kill.test.ts',
  'test/conformance/durability/kill-recompressing.test.ts',
  'collector/src/store/worker/power-cut.test.ts',
];

/** How much of their full size the suites have, in hundredths: `.ci/run` says less where little of its time is left. */
const percent = Number(process.env.REENACT_HEAVY_PERCENT ?? 100);

function sized(full: number): string {
  return String(Math.max(1, Math.ceil((full * percent) / 100)));
}

function resolvedBy(conditions: readonly string[]) {
  return { resolve: { conditions: [...conditions] }, ssr: { resolve: { conditions: [...conditions] } } };
}

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    env: {
      REENACT_TEST_KILLS: sized(200),
      REENACT_TEST_COLLECTOR_KILLS: sized(100),
      REENACT_TEST_POWER_CUTS: sized(60),
      REENACT_TEST_FUZZ_CASES: sized(1_000_000),
      REENACT_TEST_DAMAGED_STORES: sized(300),
      REENACT_TEST_MEMORY_LOAD_MS: sized(120_000),
    },
    environment: 'node',
    testTimeout: 1_800_000,
    hookTimeout: 150_000,
    // As in `npm test`, and for as long.
    retry: process.env.CI === 'true' ? 1 : 0,
    pool: 'forks',
    // One walks or opens by itself, another kills what it started and waits for it: two at a time leave no processor idle.
    maxWorkers: 2,
    projects: [
      { extends: true, ...resolvedBy(['@reenact/source', 'node']), test: { name: 'source', include: kills } },
      // These open and walk thousands of times, or measure a process: what is shipped, which `npm run heavy` builds first.
      {
        extends: true,
        ...resolvedBy(['node']),
        test: { name: 'built', include: ['test/fuzz/**/*.test.ts', 'test/e2e/small-container.test.ts'] },
      },
    ],
  },
});

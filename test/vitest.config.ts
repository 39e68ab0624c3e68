import { defineConfig } from 'vitest/config';

// Not 'import', which applies by itself: named here it would reach `require`, and packages of both kinds break.
const conditions = ['@reenact/source', 'node'];

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      'semconv/**/*.test.ts',
      'packages/**/src/**/*.test.ts',
      'collector/src/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**', 'test/interop/**'],
    environment: 'node',
    // Generous, because these run beside whatever else a machine does: a time limit is no proof of anything.
    testTimeout: 90_000,
    hookTimeout: 150_000,
    // Vitest names every test that needed a second try. It is a defect, and none that may keep everything else from landing.
    retry: process.env.CI === 'true' ? 1 : 0,
    pool: 'forks',
  },
});

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
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
});

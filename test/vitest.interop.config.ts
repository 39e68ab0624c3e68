import { defineConfig } from 'vitest/config';

const conditions = ['@reenact/source', 'node', 'import', 'default'];

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/interop/**/*.test.ts'],
    environment: 'node',
    testTimeout: 120_000,
    // Covers the first run, which installs the languages' packages.
    hookTimeout: 420_000,
    // As in `npm test`, and for as long.
    retry: process.env.CI === 'true' ? 1 : 0,
    pool: 'forks',
    fileParallelism: false,
  },
});

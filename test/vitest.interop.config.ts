import { defineConfig } from 'vitest/config';

const conditions = ['@reenact/source', 'node', 'import', 'default'];

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from the default export.
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    environment: 'node',
    testTimeout: 120_000,
    // Covers the first run, which installs the languages' packages.
    hookTimeout: 420_000,
    // As in `npm test`, and for as long.
    retry: process.env.CI === 'true' ? 1 : 0,
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: {
          name: 'programs',
          include: ['test/interop/**/*.test.ts'],
          exclude: ['test/interop/deploy/**'],
          // A browser, or a program of another language, beside the next one: by itself each leaves half of two processors idle.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        // These build one image, of one store of images.
        test: {
          name: 'deploy',
          include: ['test/interop/deploy/**/*.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

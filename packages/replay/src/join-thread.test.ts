import { describe, expect, it } from 'vitest';
import { isOfVitest } from './join-thread.ts';

describe('a thread in which Vitest runs test files', () => {
  it.each([
    ['/app/node_modules/vitest/dist/workers/threads.js', true],
    ['/app/node_modules/.pnpm/vitest@5.1.1/node_modules/vitest/dist/workers/vmThreads.js', true],
    ['/app/node_modules/vitest/dist/workers/forks.js', false],
    ['/app/src/threads.js', false],
    [undefined, false],
  ])('is told by its file: %s', (file, isOne) => {
    expect(isOfVitest(file)).toBe(isOne);
  });
});

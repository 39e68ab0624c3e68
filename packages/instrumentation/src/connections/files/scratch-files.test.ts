import { describe, expect, it } from 'vitest';
import { isOutputOrToolScratch } from './scratch-files.ts';

describe('a folder of a tool', () => {
  it.each([
    ['/app/node_modules/.vite-temp/vite.config.ts.timestamp-1.mjs', true],
    ['/app/node_modules/.vite-temp', true],
    ['/app/node_modules/.vite/vitest/results.json', true],
    ['C:\\app\\node_modules\\.vitest-cache\\CACHEDIR.TAG', true],
    ['/app/node_modules/.vite-temporary/a.mjs', false],
    ['/app/node_modules/agent/state.json', false],
    ['/app/.vite/a.mjs', false],
  ])('%s: %s', (path, isOne) => {
    expect(isOutputOrToolScratch(path)).toBe(isOne);
  });
});

import { afterEach, beforeEach, expect, it } from 'vitest';
import { listenToAddOns, type NativeCall, watchAddOn } from './watched-add-on.ts';

const heard: NativeCall[] = [];
let refusal: Error | undefined;
let stop = (): void => undefined;

beforeEach(() => {
  stop = listenToAddOns((call) => {
    heard.push(call);
    return refusal;
  });
});

afterEach(() => {
  stop();
  heard.length = 0;
  refusal = undefined;
});

it('asks before sharp writes a file, calls back with a refusal, and lets it compute', async () => {
  const written: unknown[] = [];
  const exports = {
    pipeline: (options: { fileOut: string }, done: (error: unknown, bytes?: number) => void) => {
      written.push(options.fileOut);
      done(undefined, 3);
    },
    metadata: () => 1,
    stats: () => 1,
    libvipsVersion: () => 1,
  };
  expect(watchAddOn(exports)).toBe(true);
  const run = (fileOut: string) =>
    new Promise((resolve) => exports.pipeline({ fileOut }, (error, bytes) => resolve(error ?? bytes)));
  expect(await run('')).toBe(3);
  refusal = new Error('refused');
  expect(await run('/data/small.png')).toBe(refusal);
  expect([written, heard.map(({ effects }) => effects)]).toEqual([
    [''],
    [[], [{ type: 'write', path: '/data/small.png' }]],
  ]);
});

it('asks before an index is written, whose class holds its members fast', async () => {
  class HierarchicalNSW {
    async writeIndex(path: string) {
      return path;
    }
    writeIndexSync(path: string) {
      return path;
    }
  }
  for (const key of ['writeIndex', 'writeIndexSync'])
    Object.defineProperty(HierarchicalNSW.prototype, key, { writable: false, configurable: false });
  const exports = {
    HierarchicalNSW,
    BruteforceSearch: class extends HierarchicalNSW {},
    L2Space: class {},
    InnerProductSpace: class {},
  };
  watchAddOn(exports);
  const index = new exports.HierarchicalNSW();
  expect([await index.writeIndex('/data/a'), index.writeIndexSync('/data/b')]).toEqual(['/data/a', '/data/b']);
  refusal = new Error('refused');
  await expect(index.writeIndex('/data/a')).rejects.toBe(refusal);
  expect(() => index.writeIndexSync('/data/b')).toThrow(refusal);
  expect(heard.map(({ opening }) => opening?.name)).toContain('hnswlib.HierarchicalNSW.writeIndex');
});

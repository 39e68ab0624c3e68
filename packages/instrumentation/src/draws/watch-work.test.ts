import { randomBytes, randomFill } from 'node:crypto';
import { readFile } from 'node:fs';
import { promisify } from 'node:util';
import { recordedDrawsSchema } from '@reenact/trace-model/reading';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../boundary/boundaries.ts';
import { recordedFacts } from '../testing/recorded-facts.ts';
import { installDrawRecording } from './install-draw-recording.ts';

const recorded = recordedFacts();
let uninstall = (): void => undefined;

beforeEach(() => {
  uninstall = installDrawRecording({ environment: {} });
});

afterEach(() => uninstall());

/** Of each piece of work of a function: after how many events it began, and after how many more it ended, or had not. */
function workOf(name: string): number[][] {
  const facts = recorded.find(({ boundary }) => boundary.name === 'working');
  const triples = recordedDrawsSchema.parse(JSON.parse(facts?.draws ?? '{}')).work?.[name] ?? [];
  return Array.from({ length: triples.length / 3 }, (_, index) => triples.slice(index * 3, index * 3 + 2));
}

const file = new URL(import.meta.url);
const call = tool('call', async () => undefined);

describe('work that is over when its function returns', () => {
  it('is kept as what began and took no number: a callback that was called at once', async () => {
    const signal = AbortSignal.abort();
    await agent('working', async () => {
      let calledBack = 0;
      const count = (): void => {
        calledBack += 1;
      };
      randomFill(new Uint8Array(0), count);
      randomBytes(0, count);
      readFile(file, { signal }, count);
      expect(calledBack).toBe(3);
      await call();
      await promisify(readFile)(file);
      await promisify(randomBytes)(8);
    })();
    expect(workOf('crypto.randomFill')).toEqual([[0, -1]]);
    expect(workOf('crypto.randomBytes')).toEqual([
      [0, -1],
      [2, 0],
    ]);
    expect(workOf('fs.readFile')).toEqual([
      [0, -1],
      [1, 0],
    ]);
  });

  it('is kept so where it was refused', async () => {
    await agent('working', async () => {
      expect(() => readFile(undefined as never, () => undefined)).toThrow(TypeError);
      await promisify(readFile)(file);
      await call();
    })();
    expect(workOf('fs.readFile')).toEqual([
      [0, -1],
      [0, 0],
    ]);
  });
});

import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

async function readHalf(): Promise<void> {
  const words = tool('words', async function* () {
    yield 'one';
    yield 'two';
  });
  await words().next();
}

async function readHalfElsewhere(): Promise<void> {
  const lines = tool('lines', () => {
    const lines = ['one', 'two'].values();
    const query: Iterator<string> & Iterable<string> = { next: () => lines.next(), [Symbol.iterator]: () => lines };
    return query;
  });
  lines()[Symbol.iterator]().next();
}

async function neverAwait(): Promise<void> {
  class Lazy extends Promise<number> {}
  tool('lazy', () => new Lazy(() => {}))();
}

it('a stream dropped half-read, and a promise nobody waited for, do not stay open for ever', async () => {
  await readHalf();
  await readHalfElsewhere();
  await neverAwait();
  expect(host.processor.pending()).toHaveLength(3);
  for (let attempt = 0; attempt < 200 && host.processor.pending().length > 0; attempt += 1) {
    collectGarbage();
    await turn();
  }
  expect(host.processor.pending()).toEqual([]);
  const outcomes = (await host.recorded()).map(({ attributes }) => [
    attributes['reenact.name'],
    attributes['reenact.outcome'],
  ]);
  expect(new Map(outcomes as [string, string][])).toEqual(
    new Map([
      ['words', 'aborted'],
      ['lines', 'aborted'],
      ['lazy', 'pending'],
    ]),
  );
});

import { afterEach, describe, expect, it } from 'vitest';
import { FLUSHES_AT_END_MAX } from '../limits.ts';
import { type FlushedAtEnd, flushAtEnd } from './flush-at-end.ts';

/** A processor with so many spans, of which a flush delivers all where its collector is there. */
class Waiting implements FlushedAtEnd {
  spans = 1;
  tries = 0;
  isAway = false;

  wantsFlush(): boolean {
    return this.spans > 0;
  }

  async flush(): Promise<number> {
    this.tries += 1;
    if (!this.isAway) this.spans = 0;
    return this.spans;
  }
}

/** Says to those who listen that the process ran out of work, and lets what they begin end. */
async function runOut(times = 1): Promise<void> {
  for (let round = 0; round < times; round += 1) {
    for (const listener of process.listeners('beforeExit')) if (!others.has(listener)) listener(0);
    await Promise.resolve();
  }
}

const others = new Set(process.listeners('beforeExit'));
const undos: (() => void)[] = [];
const waiting = (): Waiting => {
  const processor = new Waiting();
  undos.push(flushAtEnd(processor));
  return processor;
};

afterEach(() => {
  for (const undo of undos.splice(0)) undo();
  expect(new Set(process.listeners('beforeExit'))).toEqual(others);
});

describe('flushAtEnd', () => {
  it('flushes each processor in which something waits, by one listener for all of them', async () => {
    const processors = Array.from({ length: 20 }, waiting);
    const [idle] = processors;
    if (idle !== undefined) idle.spans = 0;
    expect(process.listenerCount('beforeExit')).toBe(others.size + 1);
    await runOut(3);
    expect(processors.map(({ tries }) => tries)).toEqual([0, ...Array.from({ length: 19 }, () => 1)]);
  });

  it('flushes again what came after a first flush', async () => {
    const processor = waiting();
    await runOut();
    processor.spans = 2;
    await runOut();
    expect(processor).toMatchObject({ spans: 0, tries: 2 });
  });

  it('has nobody wait a second time for a receiver that is away', async () => {
    const processor = waiting();
    processor.isAway = true;
    await runOut(3);
    expect(processor).toMatchObject({ spans: 1, tries: 1 });
  });

  it('lets a process end in which something is recorded each time', async () => {
    const processor = waiting();
    for (let round = 0; round < 10; round += 1) {
      processor.spans = 1;
      await runOut();
    }
    expect(processor.tries).toBe(FLUSHES_AT_END_MAX);
  });

  it('leaves alone what was shut down', async () => {
    const processor = waiting();
    for (const undo of undos.splice(0)) undo();
    await runOut();
    expect(processor.tries).toBe(0);
  });
});

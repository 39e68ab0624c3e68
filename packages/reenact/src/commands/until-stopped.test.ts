import { expect, it } from 'vitest';
import { untilStopped } from './until-stopped.ts';

const listening = (): number[] => ['SIGINT', 'SIGTERM'].map((signal) => process.listenerCount(signal));

it.each(['SIGINT', 'SIGTERM'] as const)(
  'leaves the next signal to the system once %s has come, also the other one',
  async (first) => {
    const before = listening();
    const stopped = untilStopped();
    expect(listening()).toEqual(before.map((count) => count + 1));
    process.emit(first, first);
    expect(await stopped).toBe(first);
    expect(listening()).toEqual(before);
  },
);

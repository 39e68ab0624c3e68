import type { Crossing } from '@reenact/trace-model';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Admission, failUnheard, installDedicatedPlayer } from '../index.ts';
import { TapePlayer } from '../testing/tape-player.ts';

const failure = { error: new Error('no such file') };

function stubOf(recorded: Partial<Crossing>): Admission {
  return { type: 'stub', recorded: { exchanges: [], ...recorded } } as unknown as Admission;
}

const died = stubOf({ outcome: { type: 'pending' } });

/** What is thrown at nobody while all that is due runs. */
function thrownAtNobody(act: () => void): unknown[] {
  const thrown: unknown[] = [];
  const nextTick = vi.spyOn(process, 'nextTick').mockImplementation((callback) => {
    try {
      callback();
    } catch (error) {
      thrown.push(error);
    }
  });
  act();
  nextTick.mockRestore();
  return thrown;
}

describe('a body that failed while nobody read it', () => {
  let uninstall = (): void => undefined;
  afterEach(() => uninstall());

  it('ends a replay as it ended the process that was recorded', () => {
    uninstall = installDedicatedPlayer(new TapePlayer([]));
    expect(thrownAtNobody(() => failUnheard(died, failure))).toEqual([failure.error]);
  });

  it('ends nothing where the recorded request was answered, nothing failed, or others use the process', () => {
    expect(thrownAtNobody(() => failUnheard(died, failure))).toEqual([]);
    uninstall = installDedicatedPlayer(new TapePlayer([]));
    const threw = stubOf({ outcome: { type: 'threw' } });
    expect(thrownAtNobody(() => failUnheard(threw, failure))).toEqual([]);
    expect(thrownAtNobody(() => failUnheard(died, undefined))).toEqual([]);
    expect(thrownAtNobody(() => failUnheard({ type: 'pass' }, failure))).toEqual([]);
  });
});

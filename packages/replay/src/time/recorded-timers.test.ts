import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scheduler, setImmediate as setImmediatePromise } from 'node:timers/promises';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { pristine, tool } from '@reenact/instrumentation';
import type { CrossingPlan } from '@reenact/recordings/testing';
import type { RecordedDraws } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VIRTUAL_RUN_START, virtualRun } from '../testdata/virtual-run.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => {
  context.disable();
});

const call = tool('call', async (name: string) => `live ${name}`, { effect: 'read' });

function recorded(name: string, endMs: number, settled: number): CrossingPlan {
  return {
    label: 'tool:call',
    input: [name],
    output: name,
    effect: 'read',
    startUs: 0,
    endUs: endMs * 1_000,
    settled,
  };
}

/** One timer after the other: its delay, when it was set, fired or not by then, and that time since the start of the run. */
function draws(...timers: readonly (readonly [delayMs: number, armedAt: number, after: number, ms: number])[]) {
  const kept: Record<string, number[]> = {};
  for (const [delayMs, armedAt, after, ms] of timers)
    kept[delayMs] = [armedAt, after, (VIRTUAL_RUN_START + ms) * 1_000];
  return { timers: kept } satisfies RecordedDraws;
}

function raced(seen: string[], ...racers: readonly (readonly [string, Promise<unknown>])[]): Promise<unknown> {
  return Promise.all(racers.map(([name, racer]) => racer.then(() => seen.push(name))));
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a timer whose place was recorded', () => {
  it('fires there, however late that was: the process was busy then', async () => {
    const seen: string[] = [];
    await virtualRun(() => raced(seen, ['timer', sleep(10)], ['fast', call('fast')], ['slow', call('slow')]), {
      children: [recorded('fast', 80, 0), recorded('slow', 120, 2)],
      draws: draws([10, 0, 1, 100]),
    });
    expect(seen).toEqual(['fast', 'timer', 'slow']);
  });

  it('believes the number where the clock disagrees with it', async () => {
    const seen: string[] = [];
    await virtualRun(() => raced(seen, ['timer', sleep(50)], ['fast', call('fast')], ['slow', call('slow')]), {
      children: [recorded('fast', 80, 1), recorded('slow', 120, 2)],
      draws: draws([50, 0, 0, 100]),
    });
    expect(seen).toEqual(['timer', 'fast', 'slow']);
  });

  it('that was cleared in time is cleared in time, be it due before', async () => {
    const { value } = await virtualRun(
      async () => {
        let guard: ReturnType<typeof setTimeout> | undefined;
        const late = new Promise((resolve) => {
          guard = setTimeout(resolve, 20, 'late');
        });
        const first = await Promise.race([call('call').then((name) => call(name === 'call' ? 'next' : '')), late]);
        clearTimeout(guard);
        return first;
      },
      {
        children: [recorded('call', 40, 0), { ...recorded('next', 60, 1), startUs: 41_000 }],
        draws: draws([20, 0, -3, 61]),
      },
    );
    expect(value).toBe('next');
  });

  it('that was cleared fires all the same where code that was changed leaves it, and nobody waits long', async () => {
    const began = pristine.performanceNow();
    const { value } = await virtualRun(() => Promise.race([sleep(60_000).then(() => 'late'), new Promise(() => {})]), {
      children: [recorded('gone', 40, 0)],
      draws: draws([60_000, 0, -2, 41]),
      endUs: 70_000_000,
    });
    expect(value).toBe('late');
    expect(pristine.performanceNow() - began).toBeLessThan(5_000);
  });
});

describe('a timer and the agent', () => {
  it('fires where it was recorded though it was set before the end of what its reader has all of', async () => {
    const stream = tool('stream', async function* (name: string): AsyncGenerator<string> {
      yield name;
    });
    const seen: string[] = [];
    const leftEarly = async (): Promise<void> => {
      const words = stream('words')[Symbol.asyncIterator]();
      await words.next();
      // As a stream in between that reads ahead: the end came with the word when it was recorded.
      void words.next();
      await sleep(1);
    };
    await virtualRun(() => raced(seen, ['timer', leftEarly()], ['slow', call('slow')]), {
      children: [
        {
          label: 'tool:stream',
          input: ['words'],
          call: 'async-iterable',
          chunks: [[20_000, 'words']],
          endUs: 20_000,
          settled: 0,
        },
        recorded('slow', 30, 1),
      ],
      draws: draws([1, 1, 1, 31]),
    });
    expect(seen).toEqual(['slow', 'timer']);
  });

  it('waits for a call that ended before it, until the agent has what it asked for', async () => {
    const seen: string[] = [];
    // The agent is long on its way to the call, beyond what the timer would wait for real.
    const onItsWay = async (): Promise<unknown> => {
      for (let turn = 0; turn < 40; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      return call('far');
    };
    await virtualRun(() => raced(seen, ['timer', sleep(1)], ['far', onItsWay()]), {
      children: [recorded('far', 80, 0)],
      draws: draws([1, 0, 1, 100]),
    });
    expect(seen).toEqual(['far', 'timer']);
  });

  it('is one of the same delay that was set as far into the run: others shift nothing', async () => {
    const seen: string[] = [];
    await virtualRun(
      async () => {
        await call('fast');
        // Nothing of this delay was set here when the run was recorded.
        clearTimeout(setTimeout(() => undefined, 11));
        await raced(seen, ['timer', sleep(10)], ['slow', call('slow')]);
      },
      { children: [recorded('fast', 5, 0), recorded('slow', 17, 1)], draws: draws([10, 1, 1, 18], [11, 0, 0, 3]) },
    );
    expect(seen).toEqual(['slow', 'timer']);
  });
});

/** Triples of immediates: set after so many events, and fired after so many more, at so many milliseconds. */
function immediates(...fired: readonly (readonly [armedAt: number, after: number, ms: number])[]): RecordedDraws {
  const triples: number[] = [];
  let [armedBefore, msBefore] = [0, -VIRTUAL_RUN_START];
  for (const [armedAt, after, ms] of fired) {
    triples.push(armedAt - armedBefore, after, (ms - msBefore) * 1_000);
    [armedBefore, msBefore] = [armedAt, ms];
  }
  return { timers: { immediate: triples } };
}

describe('an immediate whose place was recorded', () => {
  it('fires there, however late that was', async () => {
    const seen: string[] = [];
    const yielding = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve, 'given'));
      await setImmediatePromise();
      await scheduler.yield();
    };
    await virtualRun(() => raced(seen, ['yielding', yielding()], ['fast', call('fast')], ['slow', call('slow')]), {
      children: [recorded('fast', 80, 1), recorded('slow', 120, 3)],
      draws: immediates([0, 0, 2], [1, 1, 90], [3, 1, 130]),
    });
    expect(seen).toEqual(['fast', 'slow', 'yielding']);
  });

  it('is a real one as far as the agent can tell, and never fires once it is cleared', async () => {
    const seen = await virtualRun(
      async () => {
        const cleared = setImmediate(() => fired.push('cleared'));
        const fired: string[] = [];
        const isReal = [cleared instanceof setImmediate(() => undefined).constructor, cleared.hasRef()];
        expect([cleared.unref().hasRef(), cleared.ref().hasRef()]).toEqual([false, true]);
        clearImmediate(cleared);
        const disposed = setImmediate(() => fired.push('disposed'));
        disposed[Symbol.dispose]();
        await new Promise((resolve) => setImmediate((given: string) => resolve(fired.push(given)), 'third'));
        return [...isReal, ...fired];
      },
      { draws: immediates([0, 0, 1], [0, 1, 2], [0, 2, 3], [0, 3, 4]) },
    );
    expect(seen.value).toEqual([true, true, 'third']);
  });

  it('is a real one where nothing is known of it', async () => {
    const { value } = await virtualRun(() => new Promise((resolve) => setImmediate(resolve, 'turned')));
    expect(value).toBe('turned');
  });
});

describe('what was recorded to take longer than reading a file', () => {
  it('comes after it', async () => {
    const seen: string[] = [];
    const read = readFile(new URL(import.meta.url)).then(() => readFile(new URL(import.meta.url)));
    await virtualRun(() => raced(seen, ['slow', call('slow')], ['file', read]), {
      children: [recorded('slow', 900, 0)],
    });
    expect(seen).toEqual(['file', 'slow']);
  });

  it('waits no longer for what never ends than it took', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reenact-fifo-'));
    const path = join(folder, 'fifo');
    execFileSync('mkfifo', [path]);
    try {
      const began = pristine.performanceNow();
      // Opened to be read, it waits for somebody who writes.
      const opening = open(path);
      const { value } = await virtualRun(() => Promise.race([call('slow'), opening]), {
        children: [recorded('slow', 300, 0)],
      });
      const tookMs = pristine.performanceNow() - began;
      expect(value).toBe('slow');
      expect([tookMs > 250, tookMs < 3_000]).toEqual([true, true]);
      const [reader, writer] = await Promise.all([opening, open(path, 'w')]);
      await Promise.all([reader.close(), writer.close()]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

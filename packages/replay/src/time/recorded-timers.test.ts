import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { pristine, tool } from '@reenact/instrumentation';
import type { RecordedDraws } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrossingPlan } from '../testdata/recording-builder.ts';
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

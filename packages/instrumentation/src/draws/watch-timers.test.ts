import timers from 'node:timers';
import promises, { setTimeout as pause, scheduler } from 'node:timers/promises';
import { promisify } from 'node:util';
import { recordedDrawsSchema } from '@reenact/trace-model/reading';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, boundary, tool } from '../boundary/boundaries.ts';
import { asOwnWork } from '../host/own-work.ts';
import { pristine } from '../host/pristine.ts';
import { TIMERS_MAX } from '../limits.ts';
import { recordedFacts } from '../testing/recorded-facts.ts';
import { stacksOfTimers } from '../testing/stacks-of-timers.ts';
import { installDrawRecording } from './install-draw-recording.ts';

const recorded = recordedFacts();
let uninstall = (): void => undefined;

beforeEach(() => {
  uninstall = installDrawRecording({ environment: {} });
});

afterEach(() => uninstall());

/** What became of each timer of a crossing: when it was set and when it fired, or by when it had not, as numbers of the run's events. */
function timersOf(name: string): Record<string, string[]> {
  const facts = recorded.find((one) => one.boundary.name === name);
  const { timers: kept = {} } = recordedDrawsSchema.parse(JSON.parse(facts?.draws ?? '{}'));
  const told: Record<string, string[]> = {};
  for (const [delayMs, numbers] of Object.entries(kept)) {
    let armedAt = 0;
    told[delayMs] = Array.from({ length: numbers.length / 3 }, (_, index) => {
      const [since = 0, after = 0] = numbers.slice(index * 3, index * 3 + 2);
      armedAt += since;
      return after < 0 ? `${armedAt} not by ${armedAt - 1 - after}` : `${armedAt} fired ${armedAt + after}`;
    });
  }
  return told;
}

function settledOf(name: string): number | undefined {
  return recorded.find((one) => one.boundary.name === name)?.settled;
}

/** Ends with what it waits for. What decides an order here is never which of two times is over first: on a busy machine both are. */
const work = tool('work', async (until?: Promise<unknown>) => {
  await until;
});

describe('a timer of a run', () => {
  it('takes its number among the ends of its calls when it fires', async () => {
    await agent('racer', async () => {
      const late = new Promise((resolve) => setTimeout(resolve, 30));
      await work();
      await late;
      await pause(2);
      await scheduler.wait(3);
      await promisify(setTimeout)(4);
    })();
    expect(settledOf('work')).toBe(0);
    expect(timersOf('racer')).toEqual({
      30: ['0 fired 1'],
      2: ['2 fired 2'],
      3: ['3 fired 3'],
      4: ['4 fired 4'],
    });
    expect(settledOf('racer')).toBe(5);
  });

  it('that is cleared is told with how far the run had come, and one that is left with the end of its crossing', async () => {
    const left = await agent('guarded', async () => {
      const guard = setTimeout(() => undefined, 50_000);
      const cut = new AbortController();
      const waiting = pause(40_000, undefined, { signal: cut.signal });
      await work();
      clearTimeout(guard);
      cut.abort();
      await expect(waiting).rejects.toThrow('aborted');
      await work();
      return setTimeout(() => undefined, 60_000);
    })();
    clearTimeout(left);
    expect(timersOf('guarded')).toEqual({ 50000: ['0 not by 1'], 40000: ['0 not by 1'], 60000: ['2 not by 3'] });
  });

  it('that repeats is one timer for each time, the last of them cleared in its own callback', async () => {
    await agent('beating', async () => {
      await new Promise<void>((resolve) => {
        let beats = 0;
        const timer = setInterval(() => {
          beats += 1;
          if (beats < 3) return;
          clearInterval(timer);
          resolve();
        }, 2);
      });
    })();
    expect(timersOf('beating')).toEqual({ 2: ['0 fired 0', '1 fired 1', '2 fired 2', '3 not by 3'] });
  });
});

describe('the timer of a signal', () => {
  it('is told of a moment before whoever listens hears of it', async () => {
    const heard: string[] = [];
    await agent('limited', async () => {
      const signal = AbortSignal.timeout(3);
      const over = new Promise<void>((resolve) => {
        signal.addEventListener('abort', async () => {
          heard.push((signal.reason as Error).name);
          await pause(1);
          resolve();
        });
      });
      const unused = AbortSignal.timeout(50_000);
      await over;
      heard.push(String(unused.aborted));
      expect(() => AbortSignal.timeout(-1)).toThrow('delay');
    })();
    expect(heard).toEqual(['TimeoutError', 'false']);
    expect(timersOf('limited')).toEqual({ 1: ['1 fired 1'], 3: ['0 fired 0'], 50000: ['0 not by 3'] });
  });

  it('is told of where it fires, whichever other timers fire beside it', async () => {
    const hear = tool('hear', (): number => 1);
    const SIGNALS = 9_000;
    await agent('limits', async () => {
      const beats = setInterval(() => undefined, 1);
      const signals: Promise<void>[] = [];
      for (let set = 0; set < SIGNALS; set += 1) {
        const signal = AbortSignal.timeout(20);
        signals.push(new Promise((resolve) => signal.addEventListener('abort', () => resolve(void hear()))));
      }
      await Promise.all(signals);
      clearInterval(beats);
    })();
    const fired = timersOf('limits')[20]?.map((told) => Number(told.split(' fired ')[1]));
    expect(fired).toHaveLength(SIGNALS);
    const heard = recorded.filter(({ boundary: { name } }) => name === 'hear').map(({ settled }) => settled);
    expect(fired?.map((number) => number + 1)).toEqual(heard);
  });
});

describe('a timer', () => {
  it('is kept with the crossing whose code set it', async () => {
    const inner = tool('inner', async () => pause(5));
    // Timers of one delay fire in the order in which they were set.
    await agent('outer', async () => Promise.all([pause(5), inner()]))();
    expect(timersOf('inner')).toEqual({ 5: ['0 fired 1'] });
    expect(timersOf('outer')).toEqual({ 5: ['0 fired 0'] });
  });

  it('that waits for the next turn of the event loop is one, too', async () => {
    await agent('yielding', async () => {
      await new Promise((resolve) => setImmediate(resolve));
      clearImmediate(setImmediate(() => undefined));
      const turns = [promises.setImmediate('value'), scheduler.yield()];
      await Promise.all([work(Promise.all(turns)), ...turns]);
      await promisify(setImmediate)();
    })();
    expect(timersOf('yielding')).toEqual({
      immediate: ['0 fired 0', '1 not by 1', '1 fired 1', '1 fired 2', '4 fired 4'],
    });
    expect(settledOf('work')).toBe(3);
  });

  it('is not kept of a client’s own code, of our own, and outside of runs', async () => {
    const client = boundary('model', 'client', async () => void clearTimeout(setTimeout(() => undefined, 9)));
    clearTimeout(setTimeout(() => undefined, 9));
    await agent('caller', async () => {
      await client();
      asOwnWork(() => clearTimeout(setTimeout(() => undefined, 9)));
    })();
    expect([timersOf('client'), timersOf('caller')]).toEqual([{}, {}]);
  });

  it('is kept up to a limit, and the run is no less exact for those beyond it', async () => {
    await agent('busy', async () => {
      for (let index = 0; index < TIMERS_MAX + 10; index += 1) clearTimeout(setTimeout(() => undefined, 7));
    })();
    expect(timersOf('busy')[7]).toHaveLength(TIMERS_MAX);
    expect(recorded.find((one) => one.boundary.name === 'busy')?.lossy).toEqual([]);
  });
});

describe('the host', () => {
  it('sees timers as they are', async () => {
    const seen = await agent('looking', async () => {
      const seenOfThis = new Promise<unknown[]>((resolve) => {
        const timer = setTimeout(
          function (this: unknown, ...given: unknown[]) {
            resolve([this === timer, ...given]);
          },
          1,
          'one',
          2,
        );
      });
      const cleared = setTimeout(() => undefined, 1);
      clearTimeout(Number(cleared));
      expect(() => setImmediate('text' as never)).toThrow('callback');
      const immediate = setImmediate(() => undefined);
      expect([immediate.hasRef(), immediate.unref().hasRef()]).toEqual([true, false]);
      return [await seenOfThis, cleared.hasRef(), cleared instanceof setTimeout(() => undefined, 1).constructor];
    })();
    expect(seen).toEqual([[true, 'one', 2], true, true]);
    expect([setTimeout.name, setTimeout.length]).toEqual([pristine.setTimeout.name, pristine.setTimeout.length]);
    expect(timers.setTimeout).toBe(globalThis.setTimeout);
    expect(promises.setTimeout.name).toBe('setTimeout');
  });

  it('finds no line of ours in the stacks of errors that are made when a timer fires', async () => {
    const here = await agent('late', stacksOfTimers)();
    uninstall();
    const plain = await stacksOfTimers();
    expect(here).toEqual(plain);
    expect(here[0]).toContain('listOnTimeout');
  });

  it('is refused what Node.js refuses, in its words, and hears of it where it would', async () => {
    await agent('mistaken', async () => {
      expect(() => setTimeout('text' as never, 1)).toThrow('callback');
      await expect(pause('soon' as never)).rejects.toThrow('delay');
      await expect(pause(1, 'value')).resolves.toBe('value');
      await expect(pause(1, 'value', { ref: true })).resolves.toBe('value');
    })();
  });

  it('gets back exactly what was there', () => {
    const names = ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'];
    const look = () => names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
    const watched = look();
    uninstall();
    const original = look();
    uninstall = installDrawRecording({ environment: {} });
    expect(original[0]?.value).toBe(pristine.setTimeout);
    expect(watched.map((one) => ({ ...one, value: 0 }))).toEqual(original.map((one) => ({ ...one, value: 0 })));
    expect(watched.map((one) => one?.value)).not.toEqual(original.map((one) => one?.value));
  });
});

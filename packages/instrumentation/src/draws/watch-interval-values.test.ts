import promises, { setInterval as every } from 'node:timers/promises';
import { recordedDrawsSchema } from '@reenact/trace-model/reading';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent } from '../boundary/boundaries.ts';
import { recordedFacts } from '../testing/recorded-facts.ts';
import { installDrawRecording } from './install-draw-recording.ts';

const recorded = recordedFacts();
let uninstall = (): void => undefined;

beforeEach(() => {
  uninstall = installDrawRecording({ environment: {} });
});

afterEach(() => uninstall());

/** After how many events each timer of the run fired; negative of one that had not. */
function firingsOf(name: string): Record<string, (number | undefined)[]> {
  const facts = recorded.find((one) => one.boundary.name === name);
  const { timers = {} } = recordedDrawsSchema.parse(JSON.parse(facts?.draws ?? '{}'));
  const firings = (numbers: readonly number[]) => numbers.filter((_, index) => index % 3 === 1);
  return Object.fromEntries(Object.entries(timers).map(([delayMs, numbers]) => [delayMs, firings(numbers)]));
}

describe('the values of an interval', () => {
  it('come by timers of the run, one for each, the last of which has not fired', async () => {
    await agent('beating', async () => {
      let beats = 0;
      for await (const _beat of every(2)) {
        beats += 1;
        if (beats === 3) break;
      }
    })();
    expect(firingsOf('beating')).toEqual({ 2: [0, 0, 0, -2] });
  });

  it('that nobody asks for set no timer, nor do those of which the platform refuses the parameters', async () => {
    const refused = await agent('idle', async () => {
      every(3);
      const aborted = AbortSignal.abort(new TypeError('enough'));
      const given = [every('soon' as never), every(3, 'value', { signal: aborted }), every(3, 'value', null as never)];
      const ends = await Promise.allSettled(given.map((values) => values[Symbol.asyncIterator]().next()));
      return ends.map((end) => end.status === 'rejected' && (end.reason as Error).name);
    })();
    expect(refused).toEqual(['TypeError', 'AbortError', 'TypeError']);
    expect(firingsOf('idle')).toEqual({});
  });

  it('are the platform’s own to the host', async () => {
    const look = async (): Promise<unknown> => {
      const cut = new AbortController();
      const values = every(1, 'value', { signal: cut.signal });
      const first = await values[Symbol.asyncIterator]().next();
      cut.abort();
      const end = await values[Symbol.asyncIterator]()
        .next()
        .catch((error: unknown) => String(error));
      return [first, end, Reflect.ownKeys(values), Object.prototype.toString.call(values)];
    };
    const seen = await agent('looking', look)();
    expect([promises.setInterval.name, promises.setInterval.length]).toEqual(['setInterval', 2]);
    uninstall();
    expect(seen).toEqual(await look());
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedDraws } from '@reenact/trace-model';
import { recordedDrawsSchema } from '@reenact/trace-model/reading';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agent, tool } from '../boundary/boundaries.ts';
import { installDrawRecording } from '../draws/install-draw-recording.ts';
import { LATE_CROSSINGS_MAX, LATE_EVENTS_MAX } from '../limits.ts';
import { recordedFacts } from '../testing/recorded-facts.ts';

const recorded = recordedFacts();
let uninstall = (): void => undefined;

beforeEach(() => {
  uninstall = installDrawRecording({ environment: {} });
});

afterEach(() => uninstall());

function factsOf(name: string) {
  const facts = recorded.find(({ boundary }) => boundary.name === name);
  if (facts === undefined) throw new Error(`${name} was not recorded.`);
  return { ...facts, draws: recordedDrawsSchema.parse(JSON.parse(facts.draws ?? '{}')) };
}

const spanIdOf = (name: string): string => factsOf(name).spanContext.spanId;

/** What the root of a run says of the timers of a crossing inside: when each was set, and how many events later it fired; negative where it had not. */
function laterTimers(root: string, inside: string): Record<string, readonly number[]> {
  const events = factsOf(root).draws.lateEvents?.[spanIdOf(inside)];
  const numbers = Object.entries(events?.timers ?? {});
  return Object.fromEntries(numbers.map(([delayMs, triples]) => [delayMs, triples.filter((_, at) => at % 3 !== 2)]));
}

it('takes numbers of the run, and the root carries where what an ended helper had left fired', async () => {
  await agent('outer', async () => {
    let left: Promise<void> | undefined;
    await agent('inner', async () => {
      left = pause(20).then(() => pause(21));
    })();
    await left;
  })();
  // `inner` itself has ended as the first event; its span says of the first timer only that it had not fired by then.
  expect(factsOf('inner').draws.timers?.[20]?.slice(0, 2)).toEqual([0, -2]);
  expect(laterTimers('outer', 'inner')).toEqual({ 20: [0, 1], 21: [2, 0] });
});

it('says of a timer that never fired by when it had not', async () => {
  let guard: NodeJS.Timeout | undefined;
  await agent('outer', async () => {
    let left: Promise<void> | undefined;
    await agent('inner', async () => {
      guard = setTimeout(() => undefined, 50_000);
      left = pause(5);
    })();
    await left;
  })();
  clearTimeout(guard);
  expect(laterTimers('outer', 'inner')).toEqual({ 50000: [0, -4], 5: [0, 1] });
});

it('is nothing of a run whose helpers leave nothing, of tools, and of what fires once the run is over', async () => {
  let left: Promise<void> | undefined;
  const wait = tool('wait', async () => {
    left = pause(3);
  });
  await agent('outer', async () => {
    await wait();
    await left;
    await agent('inner', async () => {
      left = pause(5).then(() => pause(5));
    })();
  })();
  await left;
  expect(factsOf('outer').draws).not.toHaveProperty('lateEvents');
});

it('is bounded in what fires', async () => {
  await agent('outer', async () => {
    let left: Promise<void> | undefined;
    await agent('inner', async () => {
      left = pause(5).then(() => {
        for (let index = 0; index <= LATE_EVENTS_MAX; index += 1) clearTimeout(setTimeout(() => undefined, 7));
      });
    })();
    await left;
  })();
  // The one that was set before the end counts, too.
  expect(laterTimers('outer', 'inner')[7]).toHaveLength(2 * (LATE_EVENTS_MAX - 1));
});

it('is bounded in the crossings of one run', async () => {
  await agent('outer', async () => {
    const left: Promise<void>[] = [];
    const leaving = agent('leaving', async () => void left.push(pause(1)));
    for (let index = 0; index <= LATE_CROSSINGS_MAX; index += 1) await leaving();
    await Promise.all(left);
  })();
  const { lateEvents = {} }: RecordedDraws = factsOf('outer').draws;
  expect(Object.keys(lateEvents)).toHaveLength(LATE_CROSSINGS_MAX);
});

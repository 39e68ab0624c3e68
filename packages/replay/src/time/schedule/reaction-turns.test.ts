import { setImmediate as turn } from 'node:timers/promises';
import { recordedTimeline } from '@reenact/recordings';
import { buildRecording } from '@reenact/recordings/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isQuiet } from './quiet-process.ts';
import { ReactionTurns } from './reaction-turns.ts';
import { ReleaseSchedule } from './release-schedule.ts';

/** Ways in which an agent's code goes on later, each within the turns that a reaction is given. */
const hops = {
  microtask: () => Promise.resolve(),
  microtasks: async () => {
    for (let step = 0; step < 20; step += 1) await undefined;
  },
  tick: () => new Promise<void>((resolve) => process.nextTick(resolve)),
  ticks: () =>
    new Promise<void>((resolve) => process.nextTick(() => process.nextTick(() => process.nextTick(resolve)))),
  immediate: () => new Promise<void>((resolve) => void setImmediate(resolve)),
  'promised immediate': () => turn(),
} as const;

type Hop = keyof typeof hops;

interface Step {
  readonly hop: Hop;
  readonly startUs: number;
  readonly tookUs: number;
}

const step = fc.record({
  hop: fc.constantFrom(...(Object.keys(hops) as Hop[])),
  startUs: fc.integer({ min: 0, max: 40 }),
  tookUs: fc.integer({ min: 1, max: 40 }),
});
const branches = fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 });

/** What an agent of several branches sees, in order: it hops, makes a call, hops again. */
async function seenBy(agent: readonly (readonly Step[])[], isQuietHere: (own: number) => boolean): Promise<string[]> {
  const children = agent.flat().map(({ startUs, tookUs }) => {
    return { label: 'tool:t', startUs, endUs: startUs + tookUs } as const;
  });
  const recording = buildRecording({ label: 'agent:a', startUs: 0, endUs: 100, children });
  const [root, ...crossings] = recording.crossings;
  if (root === undefined) throw new TypeError('a recording has a root');
  const schedule = new ReleaseSchedule(recordedTimeline(root, recording.crossings), { isQuiet: isQuietHere });
  schedule.enterRun(root);
  const seen: string[] = [];
  let next = 0;
  const run = async (branch: readonly Step[], name: number): Promise<void> => {
    const own = branch.map(() => crossings[next++]);
    for (const [index, { hop }] of branch.entries()) {
      const crossing = own[index];
      if (crossing === undefined) throw new TypeError('each step has a crossing');
      await schedule.releaseOf(crossing, () => undefined).settle();
      seen.push(`${name}.${index}`);
      await hops[hop]();
      seen.push(`${name}.${index} ${hop}`);
    }
  };
  await Promise.all(agent.map(run));
  return seen;
}

describe('looking whether the agent has reacted', () => {
  it('shows the agent the same as turning the event loop after each release', async () => {
    let shortened = 0;
    // Other suites of this process may have left servers and the like.
    const immediates = () => process.getActiveResourcesInfo().filter((name) => name === 'Immediate');
    const isQuietHere = (own: number): boolean => {
      const quiet = isQuiet(own, immediates);
      shortened += quiet ? 1 : 0;
      return quiet;
    };
    await fc.assert(
      fc.asyncProperty(branches, async (agent) => {
        expect(await seenBy(agent, isQuietHere)).toEqual(await seenBy(agent, () => false));
      }),
      { numRuns: 200 },
    );
    expect(shortened).toBeGreaterThan(200);
  });

  it('takes one turn for each release, and none of Node.js’s own lines is below what a release goes on with', async () => {
    const recording = buildRecording({
      label: 'agent:a',
      startUs: 0,
      endUs: 100,
      children: Array.from({ length: 6 }, (_, index) => ({ label: 'tool:t', startUs: 1, endUs: 10 + index }) as const),
    });
    const [root, ...crossings] = recording.crossings;
    if (root === undefined) throw new TypeError('a recording has a root');
    const schedule = new ReleaseSchedule(recordedTimeline(root, recording.crossings), { isQuiet: () => true });
    schedule.enterRun(root);
    const stacks = await Promise.all(
      crossings.map(async (crossing) => {
        await schedule.releaseOf(crossing, () => undefined).settle();
        return String(new Error('here').stack);
      }),
    );
    expect(stacks).toHaveLength(6);
    expect(stacks.filter((stack) => stack.includes('runNextTicks'))).toEqual([]);
  });
});

describe('turning the event loop', () => {
  it('asks nobody where turns are what is needed', async () => {
    let calls = 0;
    await new Promise<void>((resolve) => {
      const turns = new ReactionTurns({
        reacted: resolve,
        mayGoOnWhenQuiet: () => false,
        isQuiet: () => {
          calls += 1;
          return true;
        },
      });
      turns.begin(true);
    });
    expect(calls).toBe(0);
  });

  it('goes on after an agent that throws', async () => {
    const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
    let calls = 0;
    const over = new Promise<void>((resolve) => {
      const turns: ReactionTurns = new ReactionTurns({
        reacted: () => {
          calls += 1;
          if (calls === 2) {
            resolve();
            return;
          }
          turns.begin(true);
          throw new TypeError('the agent’s own');
        },
        mayGoOnWhenQuiet: () => true,
        isQuiet: () => true,
      });
      turns.begin(true);
    });
    await expect(thrown).resolves.toBeInstanceOf(TypeError);
    await over;
    expect(calls).toBe(2);
  });

  it('waits no more once it is stopped, and its immediates are counted no more', async () => {
    let calls = 0;
    const turns = new ReactionTurns({ reacted: () => (calls += 1), mayGoOnWhenQuiet: () => false });
    turns.begin(true);
    turns.stop();
    for (let count = 0; count < 5; count += 1) await turn();
    expect(calls).toBe(0);
  });
});

import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type Arrival, type Position, withPosition } from '@reenact/instrumentation';
import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import { CANONICAL_POLICIES, encodeValue } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arrivalOf } from '../testdata/agent-model.ts';
import { playerOf } from '../testdata/replay-of.ts';
import { installTime } from './install-time.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => context.disable());

const second = 1_000_000;
const minute = 60 * second;

/** A run in which another service was asked, an hour after it began. */
function parted(canonical: string) {
  const slow: CrossingPlan = { label: 'tool:slow', output: 'slow', startUs: 60 * minute, endUs: 70 * minute };
  const part: CrossingPlan = {
    label: 'agent:Risk/Assess',
    output: 'done',
    startUs: 60 * minute,
    endUs: 75 * minute,
    canonical,
    children: [slow],
  };
  const hop: CrossingPlan = { label: 'rpc:Risk/Assess', startUs: 60 * minute, endUs: 75 * minute, children: [part] };
  const recording = buildRecording({ label: 'agent:a', startUs: 0, endUs: 80 * minute, children: [hop] });
  const asked = recording.crossings.find(({ kind }) => kind === 'rpc');
  return { ...playerOf(recording, { throughServices: true, process: 'shared' }), cursor: asked?.spanId };
}

/** Answers a call that is made here, as the gate asks. */
function answerOf(under: ReturnType<typeof parted>, label: Arrival['boundary']['kind'] | string, position: Position) {
  const arrival = arrivalOf({ label: label as `tool:${string}`, input: undefined }, position);
  return under.player.answer({ ...arrival, cameFromOutside: position.cursor === under.cursor });
}

async function race(canonical: string, timerMs: number): Promise<readonly [string, number]> {
  const under = parted(canonical);
  const outside: Position = { player: under.player, cursor: under.cursor };
  const uninstall = installTime({ player: under.player, time: under.player.time, scope: 'context' });
  const part = answerOf(under, 'agent:Risk/Assess', outside);
  if (part.type !== 'run') throw new TypeError(`answered with ${part.type}`);
  return context.with(withPosition(ROOT_CONTEXT, part.position), async () => {
    const stub = answerOf(under, 'tool:slow', part.position);
    if (stub.type !== 'stub') throw new TypeError(`answered with ${stub.type}`);
    const startMs = Date.now();
    const timer = new Promise<string>((resolve) => {
      setTimeout(() => resolve('timer'), timerMs);
    });
    const first = await Promise.race([stub.release.settle().then(() => 'slow'), timer]);
    const tookMs = Date.now() - startMs;
    part.settled({ type: 'returned', value: encodeValue('done') }, []);
    uninstall();
    return [first, tookMs] as const;
  });
}

describe('a part of a run that another service asked for', () => {
  it.each([
    ['a timer before a recorded end', 5 * 60_000, 'timer'],
    ['a recorded end before a timer', 12 * 60_000, 'slow'],
  ])('has virtual time: %s', async (_name, timerMs, first) => {
    const [won, tookMs] = await race(CANONICAL_POLICIES.arguments.name, timerMs);
    expect(won).toBe(first);
    // By its own clock it took as long as recorded, and nobody waited.
    expect(tookMs).toBeGreaterThanOrEqual(5 * 60_000 - 1);
    expect(tookMs).toBeLessThan(11 * 60_000);
  });

  it.each([
    ['a timer before a recorded end', 40, 'timer'],
    ['a recorded end before a timer', 12 * 60_000, 'slow'],
  ])('has the same order in real time where its caller may send on: %s', async (_name, timerMs, first) => {
    const startMs = performance.now();
    const [won] = await race(CANONICAL_POLICIES.rpcStream.name, timerMs);
    expect(won).toBe(first);
    if (first === 'timer') expect(performance.now() - startMs).toBeGreaterThanOrEqual(timerMs - 1);
  });
});

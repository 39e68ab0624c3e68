import type { CrossingPlan } from '@reenact/recordings/testing';
import { CANONICAL_POLICIES, encodeValue, PROCESS_RUN_LABEL } from '@reenact/trace-model';
import { setUpOf } from '@reenact/trace-model/reading';
import { describe, expect, it } from 'vitest';
import { LiveInput } from '../equality/input-comparison.ts';
import { withSetUp } from '../recorded/with-set-up.ts';
import { recordingWithSetUp } from '../testdata/recording-with-set-up.ts';
import { LookUp, type LookUpOptions } from './look-up.ts';

const run: CrossingPlan = { label: 'agent:a', children: [{ label: 'agent:sub', children: [{ label: 'tool:t' }] }] };
const first: CrossingPlan = { label: 'tool:first', startUs: 10, endUs: 20 };
const second: CrossingPlan = { label: 'tool:second', startUs: 30, endUs: 40 };

/** A look-up in a process that has done this before its run, and the position of what it does outside of it. */
function begun(setUp: readonly CrossingPlan[], options: LookUpOptions = {}) {
  const whole = recordingWithSetUp(run, setUp);
  const [root] = whole.roots;
  const known = root && setUpOf(whole, root.spanId);
  if (root === undefined || known === undefined) throw new TypeError('there is a run with a set-up');
  const recording = withSetUp(whole, root.spanId);
  const lookUp = new LookUp(recording, root, { ...options, setUp: known });
  lookUp.beginsHere = true;
  const [sub] = recording.crossings.filter(({ name }) => name === 'sub');
  return { lookUp, root, outside: known.processRun.spanId, sub: sub ?? root };
}

function ask(lookUp: LookUp, name: string, cursor: string, input: unknown = []) {
  const live = new LiveInput(encodeValue(input));
  const result = lookUp.find({ cursor, kind: 'tool', name, toolCallId: undefined, input: live });
  if (result.type === 'found') lookUp.consume(result, true);
  return result;
}

function overtakenBy(lookUp: LookUp, name: string, cursor: string): string | undefined {
  const result = ask(lookUp, name, cursor);
  return result.type === 'found' ? result.overtakenBy?.name : result.reason;
}

describe('where code stands', () => {
  it('is before the run, within it, beside it and behind it', () => {
    const { lookUp, root, outside, sub } = begun([first]);
    const standings = () => [outside, undefined, root.spanId, sub.spanId].map((cursor) => lookUp.standing(cursor));
    expect(standings()).toEqual(['before', 'before', 'within', 'within']);
    lookUp.consume({ recorded: root, rung: 'input' }, false);
    lookUp.consume({ recorded: sub, rung: 'input' }, false);
    expect(standings()).toEqual(['beside', 'beside', 'within', 'within']);
    lookUp.ended(root);
    lookUp.endsRun();
    // What it set going goes on.
    expect(standings()).toEqual(['behind', 'behind', 'behind', 'within']);
    lookUp.ended(sub);
    expect(standings()).toEqual(['behind', 'behind', 'behind', 'behind']);
  });

  it('is beside other runs where it is of none, whether this one has ended or not', () => {
    let isBeside = true;
    const { lookUp, root, outside } = begun([first], { isBesideOthers: () => isBeside });
    lookUp.consume({ recorded: root, rung: 'input' }, true);
    lookUp.endsRun();
    const standings = () => [outside, undefined, root.spanId].map((cursor) => lookUp.standing(cursor));
    expect(standings()).toEqual(['beside', 'beside', 'behind']);
    isBeside = false;
    expect(standings()).toEqual(['behind', 'behind', 'behind']);
  });

  it('is within the run of a process wherever it is, but for what another process has entered', () => {
    const recording = recordingWithSetUp({ ...run, label: PROCESS_RUN_LABEL }, []);
    const [root] = recording.roots;
    if (root === undefined) throw new TypeError('there is a run');
    const lookUp = new LookUp(recording, root);
    expect(lookUp.standing(undefined)).toBe('within');
    lookUp.metElsewhere(root);
    expect(lookUp.standing(undefined)).toBe('beside');
  });
});

describe('calls before the run', () => {
  it('have an order, but for what timers poll', () => {
    const { lookUp, outside } = begun([first, second]);
    expect(['second', 'first'].map((name) => overtakenBy(lookUp, name, outside))).toEqual([undefined, 'second']);
    const again = { ...second, startUs: 50, endUs: 60 };
    const polling = begun([first, second, again]);
    const names = ['second', 'second', 'first'];
    expect(names.map((name) => overtakenBy(polling.lookUp, name, polling.outside))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('equal calls that timers made before the run', () => {
  const poll = (place: number): CrossingPlan => ({
    label: 'tool:poll',
    effect: 'read',
    startUs: place * 10,
    endUs: place * 10 + 5,
  });
  /** The place of the poll that one at this time is answered by; those are recorded ten seconds apart. */
  function placeAt(seconds: number, { setUp = [1, 2, 3].map(poll), met = 0 } = {}): number | undefined {
    const startUs = ({ startTimeUnixNano }: { readonly startTimeUnixNano: bigint }): number =>
      Math.round(Number((startTimeUnixNano / 10_000n) % 100n)) * 10_000_000;
    const { lookUp, outside } = begun(setUp, { times: { nowUs: () => seconds * 1_000_000, startUs } });
    for (let count = 0; count < met; count += 1) ask(lookUp, 'poll', outside);
    const result = ask(lookUp, 'poll', outside);
    return result.type === 'found' ? Number(/#(\d+)$/.exec(result.recorded.path)?.[1] ?? 1) : undefined;
  }

  it('are each the one of its time', () => {
    expect([10, 20, 30, 21, 29].map((seconds) => placeAt(seconds))).toEqual([1, 2, 3, 2, 3]);
    // One more than recorded is answered as the one before it.
    expect(placeAt(10, { met: 1 })).toBe(1);
  });

  it('are found in turn where it is one alone, or what was called differs', () => {
    expect(placeAt(30, { setUp: [poll(1)] })).toBe(1);
    expect(placeAt(30, { setUp: [poll(1), { ...poll(2), input: ['other'] }] })).toBe(1);
  });
});

describe('what was delivered inside of a call', () => {
  const delivered: CrossingPlan = { label: 'mcp:log', canonical: CANONICAL_POLICIES.delivery.name };
  const signal: CrossingPlan = { ...delivered, label: 'message:SIGUSR2' };
  const asking: CrossingPlan = { label: 'tool:ask', children: [delivered, signal, { label: 'tool:inside' }] };

  it('is known where that is served, before the run as in it, and a signal is none of it', () => {
    const { lookUp, outside } = begun([asking]);
    const asked = ask(lookUp, 'ask', outside);
    if (asked.type !== 'found') throw new TypeError('it is found');
    const { spanId } = asked.recorded;
    expect(lookUp.deliveriesUnder(spanId).map(({ name }) => name)).toEqual(['log']);
  });

  it('is still to come when that was served, and what was called inside is not', () => {
    const recording = recordingWithSetUp({ label: 'agent:a', children: [asking] }, []);
    const [root] = recording.roots;
    if (root === undefined) throw new TypeError('there is a run');
    const lookUp = new LookUp(recording, root);
    const asked = ask(lookUp, 'ask', root.spanId);
    if (asked.type !== 'found') throw new TypeError('it is found');
    const { spanId } = asked.recorded;
    expect(lookUp.hasLeftInside(spanId)).toBe(true);
    for (const inside of lookUp.deliveriesUnder(spanId)) lookUp.consume({ recorded: inside, rung: 'order' }, true);
    expect([lookUp.hasLeftInside(spanId), lookUp.signalsUnder(spanId).map(({ name }) => name)]).toEqual([
      false,
      ['SIGUSR2'],
    ]);
  });
});

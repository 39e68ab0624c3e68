import type { Answer, LiveOutcome, Position } from '@reenact/instrumentation';
import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import { encodeValue, type Recording } from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputComparer } from '../equality/input-comparison.ts';
import { MemorySink } from '../events/event-sink.ts';
import { OpenRuns } from '../player/open-runs.ts';
import { RecordedPlayer } from '../player/recorded-player.ts';
import { makePlan } from '../resolution/plan.ts';
import { arrivalOf } from '../testdata/agent-model.ts';
import { recordingWithSetUp } from '../testdata/recording-with-set-up.ts';
import { type PlayerUnderTest, playerOf } from '../testdata/replay-of.ts';
import { RunsPlayer } from './runs-player.ts';

const done: LiveOutcome = { type: 'returned', value: encodeValue('done') };

interface RunsUnderTest {
  readonly player: RunsPlayer;
  readonly each: readonly PlayerUnderTest[];
  readonly notes: MemorySink;
  /** What was told of the end of the replayed run. */
  readonly ends: number[];
  readonly stops: number[];
}

/** A process with a run of agent:a for each input; that at `chosen` is the replayed one. */
function runsOf(
  inputs: readonly unknown[],
  chosen: number,
  inside: readonly CrossingPlan[] = [],
  output: unknown = 'done',
): RunsUnderTest {
  const recordings = inputs.map(
    (input): Recording => buildRecording({ label: 'agent:a', input: [input], output, children: inside }),
  );
  const each = recordings.map((recording) => playerOf(recording));
  const notes = new MemorySink();
  const ends: number[] = [];
  const stops: number[] = [];
  const runs = recordings.map((recording, index) => {
    const [root] = recording.roots;
    const under = each[index];
    if (root === undefined || under === undefined) throw new TypeError('each has a root');
    return { recording, root, comparer: new InputComparer(), open: () => under.player };
  });
  const [run, under] = [runs[chosen], each[chosen]];
  if (run === undefined || under === undefined) throw new TypeError('one of them is replayed');
  const { recording, root } = run;
  const over = (): void => void stops.push(stops.length);
  const ended = (): void => void ends.push(ends.length);
  const player = new RunsPlayer({
    player: under.player,
    recording,
    root,
    runs,
    openRuns: new OpenRuns(),
    sink: notes,
    ended,
    over,
  });
  return { player, each, notes, ends, stops };
}

function begin({ player }: RunsUnderTest, input: unknown, label: 'agent:a' | 'agent:b' | 'tool:t' = 'agent:a'): Answer {
  return player.answer(arrivalOf({ label, input: [input] }, undefined));
}

/** Which of the runs answered. */
function runOf({ each }: RunsUnderTest, answer: Answer): number {
  return answer.type === 'run' ? each.findIndex(({ player }) => player === answer.position.player) : -1;
}

function kindsIn(under: PlayerUnderTest | undefined): string[] {
  return (under?.sink.events ?? []).flatMap(({ event }) => (event.type === 'divergence' ? [event.kind] : []));
}

describe('which run begins', () => {
  it('is told by what it is called with, in whatever order', () => {
    const shuffled = fc
      .uniqueArray(fc.jsonValue(), {
        minLength: 1,
        maxLength: 6,
        comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
      })
      .chain((inputs) =>
        fc.tuple(fc.constant(inputs), fc.shuffledSubarray(inputs, { minLength: inputs.length }), fc.nat()),
      );
    fc.assert(
      fc.property(shuffled, ([inputs, order, chosen]) => {
        const under = runsOf(inputs, chosen % inputs.length);
        for (const input of order) expect(runOf(under, begin(under, input))).toBe(inputs.indexOf(input));
        expect(under.each.flatMap(kindsIn)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('is the first of equal ones that has not begun', () => {
    const under = runsOf(['x', 'y', 'x'], 2);
    expect(['x', 'x', 'y'].map((input) => runOf(under, begin(under, input)))).toEqual([0, 2, 1]);
  });

  it('is else the first that has not begun, and what differs is reported of that run alone', () => {
    const under = runsOf(['x', 'y', 'z'], 2);
    expect(['x', 'changed', 'z'].map((input) => runOf(under, begin(under, input)))).toEqual([0, 1, 2]);
    expect(under.each.map(kindsIn)).toEqual([[], ['input-changed'], []]);
  });

  it('is one more than was recorded where none is left, and the replayed one goes on: it is refused', () => {
    const under = runsOf(['x', 'y'], 1);
    for (const input of ['x', 'y']) begin(under, input);
    expect(begin(under, 'w').type).toBe('refuse');
    expect([kindsIn(under.each[0]), kindsIn(under.each[1]), under.stops]).toEqual([[], ['exhausted'], []]);
  });
});

describe('a run that ends', () => {
  it('may have told the id of its own trace, which is the recorded one', () => {
    const [recorded] = buildRecording({ label: 'agent:a', input: ['x'] }).crossings;
    const under = runsOf(['x', 'y'], 0, [], { traceId: recorded?.traceId });
    const run = begin(under, 'x');
    if (run.type !== 'run') throw new TypeError('agents re-run');
    const live = { traceId: 'a0'.repeat(16), spanId: 'b1'.repeat(8) };
    run.settled({ type: 'returned', value: encodeValue({ traceId: live.traceId }) }, [], live);
    expect([under.ends, under.each.flatMap(kindsIn)]).toEqual([[0], []]);
  });
});

describe('what is called inside a run', () => {
  it('is answered from that run, with equal input too', () => {
    const inside: CrossingPlan[] = [{ label: 'tool:t', input: ['same'], output: 'own' }];
    const under = runsOf(['x', 'y'], 1, inside);
    for (const [index, input] of ['x', 'y'].entries()) {
      const run = begin(under, input);
      if (run.type !== 'run') throw new TypeError('agents re-run');
      const answer = run.position.player.answer(arrivalOf({ label: 'tool:t', input: ['same'] }, run.position));
      expect(answer).toMatchObject({ type: 'stub', position: { player: under.each[index]?.player } });
    }
    expect(under.each.flatMap(kindsIn)).toEqual([]);
  });
});

describe('a run that begins when the replayed one has ended', () => {
  function ended(inside: readonly CrossingPlan[] = []): RunsUnderTest {
    const under = runsOf(['x', 'y'], 0, inside);
    const run = begin(under, 'x');
    if (run.type !== 'run') throw new TypeError('agents re-run');
    run.settled(done, []);
    return under;
  }

  it('goes on to be answered where it was recorded beside it', () => {
    const under = ended();
    expect([runOf(under, begin(under, 'y')), under.ends, under.stops]).toEqual([1, [0], []]);
  });

  it('stops the process where it was not, never comes back, and is told', async () => {
    const under = ended();
    begin(under, 'y');
    const answer = begin(under, 'later', 'agent:b');
    if (answer.type !== 'stub') throw new TypeError('it is never answered');
    expect(answer.recorded).toMatchObject({ call: 'promise', outcome: { type: 'pending' } });
    const settled = await Promise.race([answer.release.settle().then(() => 'settled'), Promise.resolve('waiting')]);
    expect([settled, under.stops, under.each.flatMap(kindsIn)]).toEqual(['waiting', [0], []]);
    const texts = under.notes.events.map(({ event }) => (event.type === 'note' ? event.text : event.type));
    expect(texts).toEqual([
      'After agent:a had ended the program went on to another run, agent:b: it was stopped there.',
    ]);
  });

  it('is none where it may be a part of the replayed one that has lost its context, or is no agent', () => {
    const under = ended([{ label: 'agent:b', input: ['later'], output: 1 }]);
    begin(under, 'later', 'agent:b');
    begin(under, 'later', 'tool:t');
    expect(under.stops).toEqual([]);
  });
});

describe('a call that has lost its context', () => {
  const inside: CrossingPlan[] = [{ label: 'tool:t', input: ['lost'], output: 'own' }];

  it('is refused while another run goes on, and taken by the replayed one when none does', () => {
    const under = runsOf(['x', 'y'], 1, inside);
    const first = begin(under, 'x');
    begin(under, 'y');
    expect(begin(under, 'lost', 'tool:t').type).toBe('refuse');
    expect(under.notes.events.map(({ event }) => event)).toMatchObject([{ type: 'note', unverified: true }]);
    if (first.type !== 'run') throw new TypeError('agents re-run');
    first.settled(done, []);
    expect(begin(under, 'lost', 'tool:t').type).toBe('stub');
  });

  it('stands in the run of the process where that is replayed, also where another run goes on that began before it', () => {
    const recording = buildRecording({ label: 'agent:process', input: [], output: 'done', children: inside });
    const other = buildRecording({ label: 'agent:a', input: ['x'], output: 'done' });
    const [[root], [rootOfOther]] = [recording.roots, other.roots];
    if (root === undefined || rootOfOther === undefined) throw new TypeError('each has a root');
    const [own, beside] = [playerOf(recording).player, playerOf(other).player];
    const run = { recording: other, root: rootOfOther, comparer: new InputComparer(), open: () => beside };
    const told = { openRuns: new OpenRuns(), sink: new MemorySink(), ended: () => undefined, over: () => undefined };
    const player = new RunsPlayer({ player: own, recording, root, runs: [run], ...told });
    player.answer(arrivalOf({ label: 'agent:a', input: ['x'] }, undefined));
    const outside = player.answer(arrivalOf({ label: 'agent:process', input: [] }, undefined));
    expect(outside).toMatchObject({ type: 'run', recorded: { path: 'agent:process' } });
  });

  it('takes nothing of the replayed run beside a set-up either', () => {
    const poll: CrossingPlan = { label: 'tool:t', input: ['poll'], output: 1, effect: 'read' };
    const recording = recordingWithSetUp({ label: 'agent:a', output: 'done', children: inside }, [poll]);
    const rootSpanId = recording.roots[0]?.spanId ?? '';
    const openRuns = new OpenRuns();
    const plan = makePlan({}, recording, rootSpanId);
    const sink = new MemorySink();
    const made = { recording, rootSpanId, plan, replayId: 'r', process: 'dedicated', sink, openRuns } as const;
    const player = new RecordedPlayer(made);
    player.beginsHere();
    const answer = (label: 'agent:process' | 'agent:a' | 'tool:t', input: unknown[], position?: Position): Answer =>
      player.answer(arrivalOf({ label, input }, position));
    const outside = answer('agent:process', []);
    if (outside.type !== 'run') throw new TypeError('it is only where its calls stand');
    expect(answer('tool:t', ['poll'], outside.position)).toMatchObject({ type: 'stub' });
    answer('agent:a', []);
    const ended = openRuns.began({});
    expect(answer('tool:t', ['lost'], outside.position).type).toBe('refuse');
    ended();
    expect(answer('tool:t', ['lost'], outside.position)).toMatchObject({
      type: 'stub',
      recorded: { path: 'agent:a/tool:t' },
    });
  });
});

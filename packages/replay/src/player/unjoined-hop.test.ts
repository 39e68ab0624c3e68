import type { Answer, Position } from '@reenact/instrumentation';
import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import { encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import type { PlanOptions } from '../resolution/plan.ts';
import { type AgentCall, arrivalOf } from '../testdata/agent-model.ts';
import { type PlayerUnderTest, playerOf } from '../testdata/replay-of.ts';

const inside: CrossingPlan = { label: 'agent:Risk/Assess', children: [{ label: 'tool:assess', output: 1 }] };
const hop: CrossingPlan = {
  label: 'rpc:Risk/Assess',
  input: ['x'],
  output: 'fine',
  effect: 'write',
  children: [inside],
};
const after: CrossingPlan = { label: 'tool:next', input: ['y'], output: 2 };

type Running = Extract<Answer, { type: 'run' }>;

function running(answer: Answer): Running {
  if (answer.type !== 'run') throw new TypeError(`answered with ${answer.type}`);
  return answer;
}

/** A replay that has entered its run. */
function entered(hops: readonly CrossingPlan[], options: PlanOptions = { throughServices: true }) {
  const under = playerOf(buildRecording({ label: 'agent:a', output: 'done', children: [...hops, after] }), options);
  const root = running(call(under, 'agent:a', [], { player: under.player, cursor: undefined }));
  return { ...under, root, position: root.position };
}

function call(
  { player }: PlayerUnderTest,
  label: AgentCall['label'],
  input: unknown,
  position: Position,
  asksToJoin = true,
): Answer {
  return player.answer({ ...arrivalOf({ label, input }, position), asksToJoin });
}

const returned = (value: unknown) => ({ type: 'returned', value: encodeValue(value) }) as const;

describe('a call to another recorded service', () => {
  it('runs, and what is inside it belongs to that service', () => {
    const under = entered([hop]);
    const answer = running(call(under, 'rpc:Risk/Assess', ['x'], under.position));
    expect(answer).toMatchObject({ mode: 'rerun', position: { isLive: true } });
    answer.settled(returned('fine'), []);
    call(under, 'tool:next', ['y'], under.position);
    under.root.settled(returned('done'), []);
    // Nobody ran it here.
    expect(under.report().divergences.map(({ kind, path }) => [kind, path])).toEqual([
      ['unconsumed', 'agent:a/rpc:Risk/Assess/agent:Risk/Assess'],
    ]);
  });

  it.each<[string, PlanOptions, boolean]>([
    ['services are not asked for', {}, true],
    ['its instrumentation would not ask', { throughServices: true }, false],
  ])('is served where %s', (_name, options, asks) => {
    const under = entered([hop], options);
    expect(call(under, 'rpc:Risk/Assess', ['x'], under.position, asks).type).toBe('stub');
    call(under, 'tool:next', ['y'], under.position);
    under.root.settled(returned('done'), []);
    expect(under.report()).toMatchObject({ verdict: 'reproduced', exitCode: 0, notes: [] });
  });
});

describe('a call to a service that takes no part', () => {
  it('is served with all that is inside it, once, and nothing is proven', () => {
    const under = entered([hop]);
    const answer = running(call(under, 'rpc:Risk/Assess', ['x'], under.position));
    const instead = answer.unjoined?.('risk.internal:50051');
    expect(instead).toMatchObject({ type: 'stub', recorded: { name: 'Risk/Assess' } });
    // It ends as what is served does: there is nothing to compare.
    answer.settled(returned('something else'), []);
    call(under, 'tool:next', ['y'], under.position);
    under.root.settled(returned('done'), []);
    const report = under.report();
    expect(report).toMatchObject({ verdict: 'unverified', exitCode: 2, divergences: [] });
    expect(report.counts).toMatchObject({ rerun: 1, stubbed: 2, unconsumed: 0, compared: 3 });
    expect(report.crossings.map(({ path, answer: how }) => [path, how])).toEqual([
      ['agent:a', 'rerun'],
      ['agent:a/rpc:Risk/Assess', 'stub'],
      ['agent:a/tool:next', 'stub'],
    ]);
    expect(report.notes).toEqual([
      expect.stringMatching(/agent:a\/rpc:Risk\/Assess was not sent.*risk\.internal:50051 does not take part/),
    ]);
  });

  it('is served in virtual time again', async () => {
    const hours = 3_600_000_000;
    const slow: CrossingPlan = { ...hop, startUs: 10, endUs: 2 * hours, settled: 0 };
    const under = entered([slow]);
    const instead = running(call(under, 'rpc:Risk/Assess', ['x'], under.position)).unjoined?.('risk:1');
    if (instead?.type !== 'stub') throw new TypeError('served');
    await instead.release.settle();
    under.player.time.stop();
    expect(under.report().notes.length).toBe(1);
  });

  it('is refused where what it answered was not recorded', () => {
    const under = entered([{ ...hop, call: 'exchange' }]);
    const instead = running(call(under, 'rpc:Risk/Assess', ['x'], under.position)).unjoined?.('risk:1');
    expect(instead).toMatchObject({ type: 'refuse', error: { code: 'replay-refused' } });
    const report = under.report();
    expect(report.counts).toMatchObject({ refused: 1, stubbed: 0 });
    expect(report.divergences.map(({ kind, path }) => [kind, path])).toContainEqual([
      'never-recorded',
      'agent:a/rpc:Risk/Assess',
    ]);
  });
});

import type { Answer, Position } from '@reenact/instrumentation';
import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import { encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { FORBIDDEN_EFFECTS_MAX } from '../limits.ts';
import type { PlanOptions } from '../resolution/plan.ts';
import { type AgentCall, arrivalOf } from '../testdata/agent-model.ts';
import { recordingWithSetUp, SET_UP_BEFORE_US } from '../testdata/recording-with-set-up.ts';
import { type PlayerUnderTest, playerOf } from '../testdata/replay-of.ts';

const limit: CrossingPlan = { label: 'tool:read', input: ['limit'], output: 'then', effect: 'read' };
const colour: CrossingPlan = { label: 'tool:read', input: ['colour'], output: 'red', effect: 'read' };
const note: CrossingPlan = { label: 'tool:note', input: ['started'], output: 'noted', effect: 'write' };
const closing: CrossingPlan = { label: 'tool:note', input: ['closed'], output: 'closed', effect: 'write' };
const inRun: CrossingPlan = { ...limit, output: 'in the run' };

/** A process that is about to be set up, and the position at which its calls then stand. */
function begun(setUp: readonly CrossingPlan[], options: PlanOptions = {}, afterwards: readonly CrossingPlan[] = []) {
  const run: CrossingPlan = { label: 'agent:a', output: 'done', children: [inRun] };
  const under = playerOf(recordingWithSetUp(run, setUp, afterwards), options);
  under.player.beginsHere();
  const opened = call(under, 'agent:process', []);
  if (opened.type !== 'run') throw new TypeError('the run of the process is only where its calls stand');
  return { ...under, outside: opened.position };
}

function call(
  under: Pick<PlayerUnderTest, 'player'>,
  label: AgentCall['label'],
  input: unknown,
  at?: Position,
): Answer {
  return under.player.answer(arrivalOf({ label, input }, at ?? { player: under.player, cursor: undefined }));
}

function enter(under: PlayerUnderTest): Position {
  const root = call(under, 'agent:a', []);
  if (root.type !== 'run') throw new TypeError('the root runs');
  return root.position;
}

function servedPath(answer: Answer): string | undefined {
  return answer.type === 'stub' ? answer.recorded.path : undefined;
}

function found(under: PlayerUnderTest): [string, string][] {
  return under
    .report()
    .divergences.filter(({ kind }) => kind !== 'outcome-changed' && kind !== 'unconsumed')
    .map(({ kind, path }) => [kind, path]);
}

describe('a call before the run', () => {
  it('is answered from the set-up, and the same call of the run from the run', () => {
    const under = begun([limit, colour]);
    expect(servedPath(call(under, 'tool:read', ['colour'], under.outside))).toBe('agent:process/tool:read#2');
    expect(servedPath(call(under, 'tool:read', ['limit'], under.outside))).toBe('agent:process/tool:read');
    const inside = enter(under);
    expect(servedPath(call(under, 'tool:read', ['limit'], inside))).toBe('agent:a/tool:read');
    const report = under.report();
    expect(report.counts).toMatchObject({ recorded: 2, stubbed: 1, rerun: 1, compared: 2, unconsumed: 0 });
    expect(report.setUp).toMatchObject({ recorded: 2, held: 2, unrecorded: 0, stubbed: 2, refused: 0, notMade: [] });
    expect(report.crossings.map(({ path }) => path)).not.toContain('agent:process');
  });

  it('with another input diverges, and takes nothing of the run with that input', () => {
    const under = begun([colour]);
    expect(servedPath(call(under, 'tool:read', ['limit'], under.outside))).toBe('agent:process/tool:read');
    expect(found(under)).toEqual([['input-changed', 'agent:process/tool:read']]);
  });

  it('that was not recorded is refused, and writes are not made twice', () => {
    const under = begun([note]);
    expect(call(under, 'tool:other', [], under.outside).type).toBe('refuse');
    expect(call(under, 'tool:note', ['started'], under.outside).type).toBe('stub');
    expect(call(under, 'tool:note', ['started'], under.outside).type).toBe('refuse');
    expect(found(under)).toEqual([
      ['never-recorded', 'agent:process/tool:other'],
      ['exhausted', 'agent:process/tool:note#2'],
    ]);
    const [other, again] = under.report().divergences.map(({ message }) => message);
    expect(other).toContain('the process had not made this call before that began: its set-up has 1 call.');
    expect(again).toContain('the process had made such calls no more often before that began');
    expect(under.report()).toMatchObject({ setUp: { unrecorded: 2, stubbed: 1, refused: 2 }, counts: { refused: 0 } });
  });

  it('proves nothing of the run alone', () => {
    const under = begun([limit]);
    call(under, 'tool:read', ['limit'], under.outside);
    enter(under);
    expect(under.report().verdict).toBe('nothing-compared');
  });

  it('goes live, is forbidden or fails where the plan names it', () => {
    const live = begun([limit], { live: ['agent:process/tool:read'] });
    expect(call(live, 'tool:read', ['limit'], live.outside)).toMatchObject({ type: 'run', mode: 'live' });
    const forbidden = begun([limit], { forbid: ['tool:read'] });
    expect(call(forbidden, 'tool:read', ['limit'], forbidden.outside).type).toBe('refuse');
    expect(forbidden.report().exitCode).toBe(3);
    const sooner = begun([limit], { stopOnDivergence: true });
    expect(call(sooner, 'tool:read', ['colour'], sooner.outside).type).toBe('refuse');
  });
});

describe('a call beside the run, outside of every context', () => {
  it('is answered again from what it met before, as a poll is, and noted', () => {
    const under = begun([limit, colour]);
    call(under, 'tool:read', ['limit'], under.outside);
    enter(under);
    expect(servedPath(call(under, 'tool:read', ['limit'], under.outside))).toBe('agent:process/tool:read');
    expect(servedPath(call(under, 'tool:read', ['colour'], under.outside))).toBe('agent:process/tool:read#2');
    const { divergences, notes } = under.report();
    expect(divergences.filter(({ path }) => path.startsWith('agent:process'))).toEqual([]);
    expect(notes).toContainEqual(expect.stringContaining('What answered agent:process/tool:read was served again'));
  });

  it('is looked up in the run where the set-up has no such call: it has lost its context', () => {
    const under = begun([note]);
    enter(under);
    expect(servedPath(call(under, 'tool:read', ['limit'], under.outside))).toBe('agent:a/tool:read');
    expect(call(under, 'tool:read', ['limit'], under.outside).type).toBe('refuse');
    expect(found(under)).toEqual([['never-recorded', 'agent:process/tool:read']]);
  });
});

const beside: CrossingPlan = {
  label: 'tool:read',
  input: ['mode'],
  output: 'wal',
  startUs: 10,
  endUs: 20,
  effect: 'write',
};
const later: CrossingPlan = { ...limit, output: 'meanwhile', startUs: 30, endUs: 40 };

/** The same with what the process did beside the run, whose root names it. */
function begin(recorded: readonly CrossingPlan[], calledBeside = ['tool:read'], after: readonly CrossingPlan[] = []) {
  const attributes = { 'reenact.process.beside': calledBeside };
  const run: CrossingPlan = {
    label: 'agent:a',
    output: 'done',
    startUs: 0,
    endUs: 100,
    attributes,
    children: [inRun],
  };
  const under = playerOf(recordingWithSetUp(run, [limit], after, recorded));
  under.player.beginsHere();
  const opened = call(under, 'agent:process', []);
  if (opened.type !== 'run') throw new TypeError('the run of the process is only where its calls stand');
  return { ...under, outside: opened.position };
}

describe('what the process did beside the run', () => {
  it('is answered by its very input, in the run and before, once, and is none of the set-up', () => {
    for (const isEarly of [true, false]) {
      const under = begin([beside]);
      call(under, 'tool:read', ['limit'], under.outside);
      if (!isEarly) enter(under);
      expect(servedPath(call(under, 'tool:read', ['mode'], under.outside))).toBe('agent:process/tool:read#2');
      const inside = isEarly ? enter(under) : undefined;
      expect(call(under, 'tool:read', ['mode'], under.outside).type).toBe('refuse');
      if (inside !== undefined)
        expect(servedPath(call(under, 'tool:read', ['limit'], inside))).toBe('agent:a/tool:read');
      expect(under.report().setUp).toMatchObject({ recorded: 1, held: 1, stubbed: 1, notMade: [] });
    }
  });

  it('answers no other input, and such a call takes none of the run either', () => {
    const under = begin([beside]);
    expect(servedPath(call(under, 'tool:read', ['limit'], under.outside))).toBe('agent:process/tool:read');
    expect(call(under, 'tool:read', ['colour'], under.outside).type).toBe('refuse');
    const inside = enter(under);
    expect(call(under, 'tool:read', ['colour'], under.outside).type).toBe('refuse');
    expect(servedPath(call(under, 'tool:read', ['limit'], inside))).toBe('agent:a/tool:read');
    expect(under.report().divergences.map(({ kind }) => kind)).not.toContain('input-changed');
  });

  it('is answered by what was read right after the run, too, once: a timer may be early by a little', () => {
    const under = begin([], ['tool:read', 'tool:note'], [colour, note]);
    const read = () => call(under, 'tool:read', ['colour'], under.outside);
    call(under, 'tool:read', ['limit'], under.outside);
    expect(read().type).toBe('refuse');
    enter(under);
    expect(servedPath(read())).toBe('agent:process/tool:read#2');
    expect(call(under, 'tool:note', ['started'], under.outside).type).toBe('refuse');
  });

  it('answers none of the polls before the run', () => {
    const under = begin([later]);
    const poll = (position = under.outside) => servedPath(call(under, 'tool:read', ['limit'], position));
    expect([poll(), poll(), poll()]).toEqual(Array.from({ length: 3 }, () => 'agent:process/tool:read'));
    enter(under);
    expect(poll()).toBe('agent:process/tool:read#2');
  });

  it('answers what polls while the run goes on before what came before it, and before it not', () => {
    const under = begin([later]);
    expect(servedPath(call(under, 'tool:read', ['limit'], under.outside))).toBe('agent:process/tool:read');
    enter(under);
    expect(servedPath(call(under, 'tool:read', ['limit'], under.outside))).toBe('agent:process/tool:read#2');
    const other = begin([later]);
    enter(other);
    expect(servedPath(call(other, 'tool:read', ['limit'], other.outside))).toBe('agent:process/tool:read#2');
    expect(servedPath(call(other, 'tool:read', ['limit'], other.outside))).toBe('agent:process/tool:read');
    expect(found(other)).toEqual([]);
  });
});

describe('a set-up that was not made', () => {
  it('is told and is no divergence; of what is repeated, one is enough', () => {
    const under = begun([limit, limit, limit, colour, colour, note]);
    call(under, 'tool:read', ['limit'], under.outside);
    const inside = enter(under);
    call(under, 'tool:read', ['limit'], inside);
    const report = under.report();
    expect(report.setUp).toMatchObject({ recorded: 6, stubbed: 1, notMadeTotal: 2 });
    expect(report.setUp?.notMade).toEqual(['agent:process/tool:read#4', 'agent:process/tool:note']);
    expect(report.divergences.filter(({ path }) => path.startsWith('agent:process'))).toEqual([]);
  });
});

describe('the clock before the run', () => {
  it('shows when the program was set up, and never runs backwards into the run', () => {
    const under = begun([limit, { ...colour, startUs: 60_000_000, endUs: 60_000_100 }]);
    const { clock } = under.player.time;
    const at = (): number => clock.readUs;
    const second = 1_000_000;
    expect(at() + SET_UP_BEFORE_US).toBeGreaterThanOrEqual(0);
    expect(at() + SET_UP_BEFORE_US).toBeLessThan(20 * second);
    call(under, 'tool:read', ['colour'], under.outside);
    expect(at() + SET_UP_BEFORE_US).toBeGreaterThanOrEqual(60 * second);
    expect(at()).toBeLessThan(0);
    enter(under);
    expect(at()).toBeGreaterThanOrEqual(0);
    expect(at()).toBeLessThan(20 * second);
  });
});

/** The whole run, as it was recorded. */
function end(under: PlayerUnderTest): void {
  const root = call(under, 'agent:a', []);
  if (root.type !== 'run') throw new TypeError('the root runs');
  call(under, 'tool:read', ['limit'], root.position);
  root.settled({ type: 'returned', value: encodeValue('done') }, []);
}

describe('a call after the run', () => {
  it('is answered from what the process did then, which no call before finds', () => {
    const under = begun([note], {}, [closing]);
    expect(call(under, 'tool:note', ['started'], under.outside).type).toBe('stub');
    expect(call(under, 'tool:note', ['closed'], under.outside).type).toBe('refuse');
    end(under);
    expect(servedPath(call(under, 'tool:note', ['closed'], under.outside))).toBe('agent:process/tool:note#2');
    expect(found(under)).toEqual([['exhausted', 'agent:process/tool:note#3']]);
    expect(under.report().setUp).toMatchObject({ recorded: 1, stubbed: 1, refused: 1 });
  });

  it('is not missed where it is not made', () => {
    const under = begun([note], {}, [closing]);
    call(under, 'tool:note', ['started'], under.outside);
    end(under);
    expect(under.report()).toMatchObject({ verdict: 'reproduced', setUp: { recorded: 1, held: 1, notMade: [] } });
  });

  it('is refused and told where nothing was recorded of it, and the run is still reproduced', () => {
    const under = begun([note]);
    call(under, 'tool:note', ['started'], under.outside);
    end(under);
    expect(call(under, 'tool:note', ['closed'], under.outside).type).toBe('refuse');
    const report = under.report();
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(report.setUp).toMatchObject({ stubbed: 1, refused: 0 });
    expect(JSON.stringify(report.notes)).toContain('was called after agent:a had ended');
  });

  it('is none of the set-up either where it polls on with what was read before', () => {
    const under = begun([limit]);
    call(under, 'tool:read', ['limit'], under.outside);
    end(under);
    expect(call(under, 'tool:read', ['limit'], under.outside).type).toBe('stub');
    expect(under.report().setUp).toMatchObject({ stubbed: 1, refused: 0, notMade: [] });
  });

  it('is no divergence either where the process had done nothing before the run', () => {
    const under = playerOf(buildRecording({ label: 'agent:a', output: 'done', children: [inRun] }));
    under.player.beginsHere();
    end(under);
    expect(call(under, 'tool:note', ['closed']).type).toBe('refuse');
    const report = under.report();
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(JSON.stringify(report.notes)).toContain('tool:note was called after agent:a had ended');
  });

  it('is left out where it only closes what no replay opens: the program goes on', () => {
    const under = playerOf(buildRecording({ label: 'agent:a', output: 'done', children: [inRun] }));
    under.player.beginsHere();
    const closing = (): Answer =>
      under.player.answer({ ...arrivalOf({ label: 'database:pg.end', input: [] }, undefined), closes: true });
    // Before the run has ended it is a call that was never recorded, like any other.
    expect(closing()).not.toHaveProperty('leftOut');
    end(under);
    expect(closing()).toMatchObject({ type: 'refuse', leftOut: true });
    expect(JSON.stringify(under.report().notes)).toContain('it was left out');
  });

  it('is one of the run where it is made inside it, late as it is', () => {
    const under = playerOf(buildRecording({ label: 'agent:a', output: 'done', children: [inRun] }));
    under.player.beginsHere();
    const root = call(under, 'agent:a', []);
    if (root.type !== 'run') throw new TypeError('the root runs');
    root.settled({ type: 'returned', value: encodeValue('done') }, []);
    expect(call(under, 'tool:note', ['late'], root.position).type).toBe('refuse');
    expect(found(under)).toEqual([['never-recorded', 'agent:a/tool:note']]);
  });
});

describe('an effect that the guard refuses after the run', () => {
  const words = { message: 'fs.rmSync /srv was refused.', next: 'Put a boundary around it.', source: undefined };
  function ended(): PlayerUnderTest & { readonly inside: Position; readonly outside: Position } {
    const under = begun([note]);
    call(under, 'tool:note', ['started'], under.outside);
    const root = call(under, 'agent:a', []);
    if (root.type !== 'run') throw new TypeError('the root runs');
    call(under, 'tool:read', ['limit'], root.position);
    root.settled({ type: 'returned', value: encodeValue('done') }, []);
    return { ...under, inside: root.position, outside: under.outside };
  }

  it('is noted once where it comes from outside of every run, also where that is the run of the process', () => {
    const { player, report, outside } = ended();
    for (const position of [outside, outside, undefined, { player, cursor: undefined }])
      player.reportForbidden({ ...words, allow: ' Allow it.', position });
    expect(report()).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    const told = report().notes.filter((text) => text.startsWith(words.message));
    expect(told).toEqual([expect.stringMatching(/after agent:a had ended: .*Allow it\.$/)]);
  });

  it('is noted where code of the run itself makes it, which goes on', () => {
    const { player, report, inside } = ended();
    player.reportForbidden({ ...words, position: inside });
    expect(report()).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect(report().notes.join()).toContain(words.message);
  });

  it('is forbidden in what the run set going, for as long as that goes on', () => {
    const under = playerOf(buildRecording({ label: 'agent:a', output: 'done', children: [{ label: 'agent:job' }] }));
    const root = call(under, 'agent:a', []);
    if (root.type !== 'run') throw new TypeError('the root runs');
    const inner = call(under, 'agent:job', [], root.position);
    if (inner.type !== 'run') throw new TypeError('what it set going runs');
    root.settled({ type: 'returned', value: encodeValue('done') }, []);
    under.player.reportForbidden({ ...words, position: inner.position });
    inner.settled({ type: 'returned', value: encodeValue(null) }, []);
    under.player.reportForbidden({ ...words, message: 'Later on.', position: inner.position });
    expect(under.report().divergences.filter(({ kind }) => kind === 'forbidden')).toEqual([
      expect.objectContaining({ message: words.message, path: 'agent:a/agent:job' }),
    ]);
  });

  it('is forbidden where it could not be refused, and has happened', () => {
    const { player, report } = ended();
    player.reportForbidden({ ...words, position: undefined, happened: true });
    expect(report()).toMatchObject({ verdict: 'forbidden', divergences: [{ happened: true }] });
  });
});

describe('an effect that the guard refuses while the run goes on', () => {
  const words = { message: 'fs.rmSync /srv was refused.', next: 'Put a boundary around it.', source: undefined };

  it('is forbidden inside the run, also behind more from outside than is told', () => {
    const under = begun([note]);
    const root = call(under, 'agent:a', []);
    if (root.type !== 'run') throw new TypeError('the root runs');
    for (let count = 0; count < 2 * FORBIDDEN_EFFECTS_MAX; count += 1)
      under.player.reportForbidden({ ...words, message: `Number ${count} was refused.`, position: under.outside });
    under.player.reportForbidden({ ...words, position: root.position });
    call(under, 'tool:read', ['limit'], root.position);
    root.settled({ type: 'returned', value: encodeValue('done') }, []);
    expect(under.report()).toMatchObject({ verdict: 'forbidden', exitCode: 3 });
    expect(under.report().divergences.map(({ message }) => message)).toContain(words.message);
  });

  it('is forbidden outside of every context where the run is all of the process, and before the run', () => {
    const { player, report } = playerOf(buildRecording({ label: 'agent:process', output: 'done', children: [inRun] }));
    player.beginsHere();
    player.reportForbidden({ ...words, position: undefined });
    expect(report()).toMatchObject({ verdict: 'forbidden', exitCode: 3 });
  });
});

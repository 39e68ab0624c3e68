import { describe, expect, it } from 'vitest';
import { causesOf, type Finding } from './caused-by.ts';

function finding(id: string, more: Partial<Finding>): Finding {
  return {
    id,
    kind: 'input-changed',
    path: `agent:a/tool:${id}`,
    startedAt: 0,
    foundAt: 0,
    effectiveAt: Number.POSITIVE_INFINITY,
    insideEffectiveAt: Number.POSITIVE_INFINITY,
    recordedAtUs: 0,
    recordedStartUs: 0,
    inputLeaves: [],
    outcomeLeaves: [],
    ...more,
  };
}

function causes(findings: readonly Finding[]): Record<string, string> {
  return Object.fromEntries(
    Array.from(causesOf(findings), ([id, { divergence, evidence }]) => [id, `${divergence} ${evidence}`]),
  );
}

const liveGuardrail = finding('g', {
  kind: 'output-changed',
  startedAt: 1,
  foundAt: 5,
  effectiveAt: 5,
  recordedStartUs: 30,
  recordedAtUs: 100,
  outcomeLeaves: ['blocked: over "500" shares', '500'],
});

describe('a consequence', () => {
  it('by value contains what a cause changed, also inside JSON in a string', () => {
    const plain = finding('plain', { startedAt: 8, inputLeaves: ['so it was blocked: over "500" shares.'] });
    const nested = finding('nested', {
      startedAt: 9,
      inputLeaves: [JSON.stringify({ reason: 'blocked: over "500" shares' })],
    });
    expect(causes([liveGuardrail, plain, nested])).toEqual({ plain: 'g value', nested: 'g value' });
  });

  it('by order came after a cause had taken effect', () => {
    expect(causes([liveGuardrail, finding('later', { startedAt: 6 })])).toEqual({ later: 'g order' });
  });

  it('is what a live call gave that had another input than recorded', () => {
    const asked = finding('asked', { startedAt: 0, foundAt: 1, effectiveAt: 5, path: liveGuardrail.path });
    expect(causes([asked, liveGuardrail])).toEqual({ g: 'asked order' });
    const beside = finding('beside', { startedAt: 0, foundAt: 1, effectiveAt: 5 });
    expect(causes([beside, liveGuardrail])).toEqual({});
  });

  it('never started before the cause took effect', () => {
    const parallel = finding('parallel', { startedAt: 4, inputLeaves: ['500'] });
    expect(causes([liveGuardrail, parallel])).toEqual({});
  });

  it('is an agent that is not called any more, where what it called is called elsewhere', () => {
    const moved = finding('moved', { kind: 'moved', path: 'agent:a/tool:t', movedFrom: 'agent:a/agent:h/tool:t' });
    const helper = finding('helper', { kind: 'unconsumed', path: 'agent:a/agent:h', startedAt: undefined });
    const other = finding('other', {
      kind: 'unconsumed',
      path: 'agent:a/agent:o',
      startedAt: undefined,
      recordedAtUs: 9,
    });
    expect(causes([moved, helper, other])).toEqual({ helper: 'moved order' });
  });

  it('names the first cause of a chain, never a consequence', () => {
    const second = finding('second', { ...liveGuardrail, id: 'second', startedAt: 7, foundAt: 9, effectiveAt: 9 });
    const third = finding('third', { startedAt: 10, inputLeaves: ['500'] });
    expect(causes([liveGuardrail, second, third])).toMatchObject({ second: 'g value', third: 'g value' });
  });
});

describe('calls that contain each other', () => {
  it('a changed input of a running call explains what is inside it at once', () => {
    const outer = finding('outer', { path: 'agent:a/agent:sub', startedAt: 2, insideEffectiveAt: 2 });
    const inner = finding('inner', { path: 'agent:a/agent:sub/tool:t', startedAt: 3 });
    const beside = finding('beside', { path: 'agent:a/agent:sub-two', startedAt: 3 });
    expect(causes([outer, inner, beside])).toEqual({ inner: 'outer order' });
  });

  it('a changed outcome is explained by what happened inside the call', () => {
    const inner = finding('inner', { path: 'agent:a/tool:t', startedAt: 3, effectiveAt: 4 });
    const outer = finding('outer', { kind: 'outcome-changed', path: 'agent:a', startedAt: 0, foundAt: 9 });
    expect(causes([inner, outer])).toEqual({ outer: 'inner order' });
  });

  it('a changed outcome is not explained by what ran beside the call', () => {
    const beside = finding('beside', { path: 'agent:a/tool:t', startedAt: 3, effectiveAt: 4 });
    const outer = finding('outer', { kind: 'output-changed', path: 'agent:a/tool:u', startedAt: 1, foundAt: 9 });
    expect(causes([beside, outer])).toEqual({});
  });
});

describe('a call that was not made', () => {
  const missing = (id: string, recordedStartUs: number, recordedAtUs: number): Finding =>
    finding(id, { kind: 'unconsumed', startedAt: undefined, recordedStartUs, recordedAtUs });

  it('is explained only by a cause that was recorded before it', () => {
    const found = [liveGuardrail, missing('before', 40, 60), missing('after', 150, 160)];
    expect(causes(found)).toEqual({ after: 'g order' });
  });

  it('explains what was recorded after it, though it is found last', () => {
    const model = finding('model', { startedAt: 3, effectiveAt: 4, recordedStartUs: 70, recordedAtUs: 90 });
    const earlier = finding('earlier', { startedAt: 2, recordedStartUs: 40 });
    const ended = finding('ended', { kind: 'outcome-changed', path: 'agent:a', startedAt: 0, foundAt: 9 });
    const found = [earlier, model, ended, missing('gone', 50, 60), missing('later', 95, 99)];
    expect(causes(found)).toEqual({ model: 'gone order', ended: 'gone order', later: 'gone order' });
  });

  it('does not explain what was recorded beside it', () => {
    expect(causes([missing('one', 50, 80), missing('two', 60, 70)])).toEqual({});
  });

  it('is explained by a run that ended early, where it was due later', () => {
    const threw = finding('threw', {
      kind: 'outcome-changed',
      path: 'agent:a',
      startedAt: 0,
      foundAt: 9,
      effectiveAt: 9,
      insideEffectiveAt: 9,
      recordedAtUs: 100,
    });
    expect(causes([threw, missing('due', 120, 130)])).toEqual({ due: 'threw order' });
    expect(causes([threw, missing('before', 20, 30)])).toEqual({ threw: 'before order' });
  });
});

describe('a precondition', () => {
  it('is neither cause nor consequence', () => {
    const zone = finding('zone', { kind: 'environment-changed', effectiveAt: 0 });
    expect(causes([zone, finding('later', { startedAt: 6 })])).toEqual({});
  });
});

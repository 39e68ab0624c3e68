import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import { encodeValue, type LookUpRung } from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LiveInput } from '../equality/input-comparison.ts';
import type { Inquiry } from './inquiry.ts';
import { LookUp, type LookUpOptions, type LookUpResult } from './look-up.ts';

function lookUpOver(children: readonly CrossingPlan[], options: LookUpOptions = {}): LookUp {
  const recording = buildRecording({ label: 'agent:a', children });
  const [root] = recording.roots;
  if (root === undefined) throw new TypeError('a recording has a root');
  const lookUp = new LookUp(recording, root, options);
  lookUp.consume({ recorded: root, rung: 'input' }, false);
  return lookUp;
}

function ask(input: unknown, more: Partial<Inquiry> = {}): Inquiry {
  const live = new LiveInput(encodeValue(input));
  return { cursor: undefined, kind: 'tool', name: 't', toolCallId: undefined, input: live, ...more };
}

function found(result: LookUpResult): { spanId: string; rung: LookUpRung; ambiguous: boolean; comparison: string } {
  if (result.type === 'missing') throw new TypeError(`nothing found: ${result.reason}`);
  const { recorded, rung, ambiguous, comparison } = result;
  return { spanId: recorded.spanId.replace(/^0+/, ''), rung, ambiguous, comparison: comparison.type };
}

function meet(lookUp: LookUp, inquiry: Inquiry, whole = true): ReturnType<typeof found> {
  const result = lookUp.find(inquiry);
  if (result.type === 'found') lookUp.consume(result, whole);
  return found(result);
}

const twoCalls: CrossingPlan[] = [
  { label: 'tool:t', input: ['one'], toolCallId: 'call_1' },
  { label: 'tool:t', input: ['two'], toolCallId: 'call_2' },
];

describe('the rungs of the look-up', () => {
  it('prefers an equal tool call id, also over an equal input', () => {
    const result = meet(lookUpOver(twoCalls), ask(['one'], { toolCallId: 'call_2' }));
    expect(result).toEqual({ spanId: '3', rung: 'tool-call-id', ambiguous: false, comparison: 'changed' });
  });

  it('then takes an equal input, out of start order', () => {
    const lookUp = lookUpOver(twoCalls);
    expect(meet(lookUp, ask(['two'], { toolCallId: 'unknown' }))).toMatchObject({ spanId: '3', rung: 'input' });
    expect(meet(lookUp, ask(['one']))).toMatchObject({ spanId: '2', rung: 'input', comparison: 'equal' });
  });

  it('then takes the earliest, and says when it was not the only one', () => {
    const lookUp = lookUpOver(twoCalls);
    expect(meet(lookUp, ask(['three']))).toMatchObject({ spanId: '2', rung: 'order', ambiguous: true });
    expect(meet(lookUp, ask(['three']))).toMatchObject({ spanId: '3', rung: 'order', ambiguous: false });
  });

  it('gives calls with equal inputs their crossings in start order', () => {
    const same = [1, 2, 3].map((output): CrossingPlan => ({ label: 'tool:t', input: ['same'], output }));
    const lookUp = lookUpOver(same);
    expect([1, 2, 3].map(() => meet(lookUp, ask(['same'])).spanId)).toEqual(['2', '3', '4']);
  });

  it('gives any calls in any order the first free crossing with their input, written however, else one that went to another input, else the first free one', () => {
    // As it is written, the first two are the same input in another order of members.
    const inputs = [[{ a: 1, b: 2 }], [{ b: 2, a: 1 }], [{ a: 2 }], [new Date(0)], ['1'], [1]];
    const meaning = [0, 0, 2, 3, 4, 5];
    const indexes = fc.nat(inputs.length - 1);
    const size = { minLength: 1, maxLength: 8 };
    fc.assert(
      fc.property(fc.array(indexes, size), fc.array(indexes, size), (recorded, live) => {
        const lookUp = lookUpOver(recorded.map((index): CrossingPlan => ({ label: 'tool:t', input: inputs[index] })));
        const free = recorded.map((index, place) => ({ meaning: meaning[index], spanId: (place + 2).toString(16) }));
        const taken: typeof free = [];
        for (const index of live) {
          const isEqual = (crossing: (typeof free)[number]): boolean => crossing.meaning === meaning[index];
          const [place, takenPlace] = [free.findIndex(isEqual), taken.findIndex(isEqual)];
          const isByTurn = place < 0 && takenPlace < 0;
          const [expected] =
            place < 0 && takenPlace >= 0 ? taken.splice(takenPlace, 1) : free.splice(Math.max(place, 0), 1);
          if (expected === undefined) {
            expect(lookUp.find(ask(inputs[index])).type).toBe('missing');
            continue;
          }
          if (isByTurn) taken.push(expected);
          const rung = isByTurn ? 'order' : 'input';
          const comparison = isByTurn ? 'changed' : 'equal';
          expect(meet(lookUp, ask(inputs[index]))).toMatchObject({ spanId: expected.spanId, rung, comparison });
        }
      }),
    );
  });

  it('finds a call elsewhere in the run only by exactly its input', () => {
    const nested: CrossingPlan[] = [{ label: 'agent:sub', children: [{ label: 'tool:t', input: ['deep'] }] }];
    expect(meet(lookUpOver(nested), ask(['deep']))).toMatchObject({ spanId: '3', rung: 'moved', comparison: 'equal' });
    expect(lookUpOver(nested).find(ask(['other']))).toMatchObject({ type: 'missing', reason: 'never-recorded' });
  });

  it('does not take another kind, another name, or what another cursor holds by order', () => {
    const lookUp = lookUpOver([{ label: 'tool:t', input: ['one'] }, { label: 'agent:sub' }]);
    expect(lookUp.find(ask(['one'], { kind: 'mcp' })).type).toBe('missing');
    expect(lookUp.find(ask(['one'], { name: 'T' })).type).toBe('missing');
    expect(lookUp.find(ask(['two'], { cursor: '0000000000000003' })).type).toBe('missing');
  });
});

describe('a call that was added', () => {
  it('leaves those behind it what was recorded for them, once', () => {
    const lookUp = lookUpOver([...twoCalls, { label: 'tool:t', input: ['three'] }]);
    meet(lookUp, ask(['one']));
    expect(meet(lookUp, ask(['more']))).toMatchObject({ spanId: '3', rung: 'order', comparison: 'changed' });
    expect(meet(lookUp, ask(['more']))).toMatchObject({ spanId: '4', rung: 'order', comparison: 'changed' });
    // Neither is late: both were met in their turn.
    for (const [input, spanId] of [
      ['two', '3'],
      ['three', '4'],
    ] as const) {
      const result = lookUp.find(ask([input]));
      expect(result).toMatchObject({ type: 'found', rung: 'input', isTakenBack: true, overtakenBy: undefined });
      expect(meet(lookUp, ask([input]))).toMatchObject({ spanId, comparison: 'equal' });
    }
    expect(lookUp.find(ask(['two']))).toMatchObject({ type: 'missing', reason: 'exhausted' });
  });

  it('keeps what it was given of a model whose prompt may differ: one more would be told of nowhere', () => {
    const models = ['one', 'two'].map((input): CrossingPlan => ({ label: 'model:t', input: [input] }));
    const second = (options: LookUpOptions): LookUpRung => {
      const lookUp = lookUpOver(models, options);
      meet(lookUp, ask(['more'], { kind: 'model' }));
      return meet(lookUp, ask(['one'], { kind: 'model' })).rung;
    };
    expect([second({}), second({ profile: 'edit-tolerant' })]).toEqual(['input', 'order']);
  });

  it('keeps what it was given where the code behind it ran: what is inside was met there', () => {
    const lookUp = lookUpOver(twoCalls);
    expect(meet(lookUp, ask(['more']), false)).toMatchObject({ spanId: '2', rung: 'order' });
    expect(meet(lookUp, ask(['one']))).toMatchObject({ spanId: '3', rung: 'order', comparison: 'changed' });
  });
});

describe('a call of an agent that was moved up', () => {
  it('takes a model call that is exactly one of an agent which nothing has called, rather than its turn', () => {
    const nested: CrossingPlan[] = [
      { label: 'model:m', input: ['trade'] },
      { label: 'agent:sub', children: [{ label: 'model:m', input: ['research'] }] },
    ];
    const asked = ask(['research'], { kind: 'model', name: 'm' });
    expect(meet(lookUpOver(nested), asked)).toMatchObject({ spanId: '4', rung: 'moved', comparison: 'equal' });
    const entered = lookUpOver(nested);
    expect(meet(entered, ask([], { kind: 'agent', name: 'sub' }), false)).toMatchObject({ spanId: '3' });
    expect(meet(entered, asked)).toMatchObject({ spanId: '2', rung: 'order', comparison: 'changed' });
  });

  it('leaves one of a tool that nothing has called to that tool', () => {
    const nested: CrossingPlan[] = [
      { label: 'model:m', input: ['trade'] },
      { label: 'tool:research', children: [{ label: 'model:m', input: ['research'] }] },
    ];
    const asked = ask(['research'], { kind: 'model', name: 'm' });
    expect(meet(lookUpOver(nested), asked)).toMatchObject({ spanId: '2', rung: 'order', comparison: 'changed' });
  });

  it('takes a tool call so only by the id that the model gave it, for equal arguments may be chance', () => {
    const nested: CrossingPlan[] = [
      { label: 'tool:t', input: ['one'] },
      { label: 'agent:sub', children: [{ label: 'tool:t', input: ['two'], toolCallId: 'call_1' }] },
    ];
    const asked = ask(['two'], { toolCallId: 'call_1' });
    expect(meet(lookUpOver(nested), asked)).toMatchObject({ spanId: '4', rung: 'moved' });
    expect(meet(lookUpOver(nested), ask(['two'], { toolCallId: 'call_2' }))).toMatchObject({ spanId: '2' });
    expect(meet(lookUpOver(nested), ask(['two']))).toMatchObject({ spanId: '2', rung: 'order' });
  });
});

describe('a model call whose prompt was changed on purpose', () => {
  const request = (prompt: string, tool: string) => ({ messages: [prompt], tools: [{ name: tool }] });
  const calls = ['search', 'order', 'order'].map(
    (tool, place): CrossingPlan => ({ label: 'model:m', input: [request(`as it was ${place}`, tool)] }),
  );
  const live = (tool: string) => ask([request('another', tool)], { kind: 'model', name: 'm' });

  it('is known by its tools, and by its place where none has those', () => {
    const lookUp = lookUpOver(calls, { profile: 'edit-tolerant' });
    expect(meet(lookUp, live('order'))).toMatchObject({ spanId: '3', rung: 'order', ambiguous: false });
    expect(meet(lookUp, live('unknown'))).toMatchObject({ spanId: '2', rung: 'order', ambiguous: false });
    expect(meet(lookUp, live('order'))).toMatchObject({ spanId: '4', comparison: 'changed' });
  });

  it('is known by its place alone where nobody says that it was changed, or it is no model call', () => {
    expect(meet(lookUpOver(calls), live('order'))).toMatchObject({ spanId: '2', ambiguous: true });
    const tools = calls.map((call): CrossingPlan => ({ ...call, label: 'tool:t' }));
    const asTool = lookUpOver(tools, { profile: 'edit-tolerant' });
    expect(meet(asTool, ask([request('another', 'order')]))).toMatchObject({ spanId: '2', ambiguous: true });
  });
});

describe('what is missing', () => {
  it('was never recorded, or is exhausted', () => {
    const lookUp = lookUpOver([{ label: 'tool:t', input: ['one'] }]);
    expect(lookUp.find(ask([], { name: 'x' }))).toMatchObject({ type: 'missing', reason: 'never-recorded' });
    meet(lookUp, ask(['one']));
    expect(lookUp.find(ask(['one']))).toMatchObject({ type: 'missing', reason: 'exhausted' });
  });

  it('names what was recorded under another name, by the call of the model or by an input that tells something', () => {
    const calls: CrossingPlan[] = [
      { label: 'tool:a', input: [{ symbol: 'ACME' }], toolCallId: 'call_1' },
      { label: 'tool:b', input: [{ symbol: 'ACME' }] },
      { label: 'tool:c', input: [{}] },
    ];
    const renamed = (input: unknown, more: Partial<Inquiry> = {}) => {
      const result = lookUpOver(calls).find(ask(input, { name: 'renamed', ...more }));
      return result.type === 'missing' ? [result.closest?.name, result.sameBy] : [];
    };
    expect(renamed([{ symbol: 'ACMF' }], { toolCallId: 'call_1' })).toEqual(['a', 'tool-call-id']);
    expect(renamed([{ symbol: 'ACME' }])).toEqual(['a', 'input']);
    expect(renamed([{ symbol: 'ACMF' }])[1]).toBeUndefined();
    expect(renamed([{}])[1]).toBeUndefined();
    expect(renamed([{ symbol: 'ACME' }], { kind: 'mcp' })[1]).toBeUndefined();
    const met = lookUpOver(calls);
    for (const name of ['a', 'b']) meet(met, ask([{ symbol: 'ACME' }], { name }));
    expect(met.find(ask([{ symbol: 'ACME' }], { name: 'renamed' }))).not.toHaveProperty('sameBy');
  });

  it('names the closest recorded crossing', () => {
    const lookUp = lookUpOver([{ label: 'tool:get_quote' }, { label: 'tool:place_order' }]);
    const result = lookUp.find(ask([], { name: 'get_quotes' }));
    expect(result).toMatchObject({ closest: { name: 'get_quote' } });
  });
});

describe('consumption', () => {
  const nested: CrossingPlan[] = [
    { label: 'tool:outer', input: ['o'], children: [{ label: 'http:GET api', input: ['h'] }] },
  ];

  it('takes the whole subtree of a served crossing out, also from the moved rung', () => {
    const children: CrossingPlan[] = [{ label: 'agent:sub', children: [{ label: 'tool:t', input: ['deep'] }] }];
    const lookUp = lookUpOver([{ label: 'tool:outer', input: ['o'], children }]);
    meet(lookUp, ask(['o'], { name: 'outer' }));
    for (const within of [ask([], { kind: 'agent', name: 'sub' }), ask(['deep'])])
      expect(lookUp.find(within).type).toBe('missing');
  });

  it('still answers client code that runs over a served crossing', () => {
    const lookUp = lookUpOver(nested);
    meet(lookUp, ask(['o'], { name: 'outer' }));
    const inside = ask(['h'], { kind: 'http', name: 'GET api', cursor: '0000000000000002' });
    expect(meet(lookUp, inside)).toMatchObject({ spanId: '3', rung: 'input' });
    expect(lookUp.find(inside)).toMatchObject({ type: 'missing', reason: 'exhausted' });
  });

  it('leaves what is inside a crossing that runs', () => {
    const lookUp = lookUpOver(nested);
    meet(lookUp, ask(['o'], { name: 'outer' }), false);
    const inside = ask(['changed'], { kind: 'http', name: 'GET api', cursor: '0000000000000002' });
    expect(meet(lookUp, inside)).toMatchObject({ spanId: '3', rung: 'order' });
  });
});

describe('entering the run', () => {
  it('matches the root once, then looks under it', () => {
    const recording = buildRecording({ label: 'agent:a', input: ['go'], children: [{ label: 'agent:a', input: [] }] });
    const [root] = recording.roots;
    if (root === undefined) throw new TypeError('a recording has a root');
    const lookUp = new LookUp(recording, root);
    expect(meet(lookUp, ask(['go'], { kind: 'agent', name: 'a' }), false)).toMatchObject({ spanId: '1' });
    expect(meet(lookUp, ask([], { kind: 'agent', name: 'a' }), false)).toMatchObject({ spanId: '2' });
  });

  it('looks under the root when the code starts below it', () => {
    const recording = buildRecording({ label: 'agent:a', children: [{ label: 'tool:t', input: ['one'] }] });
    const [root] = recording.roots;
    if (root === undefined) throw new TypeError('a recording has a root');
    expect(meet(new LookUp(recording, root), ask(['one']))).toMatchObject({ spanId: '2', rung: 'input' });
  });
});

describe('order', () => {
  const at = (label: CrossingPlan['label'], startUs: number, endUs: number): CrossingPlan => ({
    label,
    startUs,
    endUs,
  });
  const overtaken = (lookUp: LookUp, name: string): string | undefined => {
    const result = lookUp.find(ask([], { name }));
    if (result.type === 'found') lookUp.consume(result, true);
    return result.type === 'found' ? result.overtakenBy?.name : undefined;
  };

  it('is broken only between spans that did not overlap', () => {
    const lookUp = lookUpOver([at('tool:early', 10, 20), at('tool:overlapping', 15, 40), at('tool:late', 30, 50)]);
    expect(overtaken(lookUp, 'late')).toBeUndefined();
    expect(overtaken(lookUp, 'overlapping')).toBeUndefined();
    expect(overtaken(lookUp, 'early')).toBe('late');
  });

  it('is kept when the calls come as recorded', () => {
    const lookUp = lookUpOver([at('tool:early', 10, 20), at('tool:late', 20, 50)]);
    expect([overtaken(lookUp, 'early'), overtaken(lookUp, 'late')]).toEqual([undefined, undefined]);
  });
});

describe('ten thousand equal calls', () => {
  it('are found without comparing each with each', () => {
    const count = 10_000;
    const lookUp = lookUpOver(Array.from({ length: count }, () => ({ label: 'tool:t', input: ['same'] }) as const));
    const before = process.cpuUsage();
    const last = Array.from({ length: count }, () => meet(lookUp, ask(['same']))).at(-1);
    expect(last).toMatchObject({ spanId: (count + 1).toString(16), rung: 'input' });
    expect(lookUp.find(ask(['same']))).toMatchObject({ type: 'missing', reason: 'exhausted' });
    // Comparing each with each took ten seconds.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(3_000);
  });
});

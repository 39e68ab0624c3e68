import { buildRecording } from '@reenact/recordings/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AgentCall, recordedPlan } from './testdata/agent-model.ts';
import { replayAgent } from './testdata/replay-of.ts';

type Shape = Omit<AgentCall, 'label' | 'children'> & { readonly kind: number; readonly children: readonly Shape[] };

const kinds = ['tool', 'model', 'retrieval', 'agent'] as const;

/** Trees of calls; `depth` levels below the root. */
function shapes(depth: number): fc.Arbitrary<Shape> {
  return fc.record({
    kind: fc.nat(kinds.length - 1),
    input: fc.array(fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constantFrom('a', 'b'), fc.constant({ n: 1 })), {
      maxLength: 2,
    }),
    output: fc.oneof(fc.integer(), fc.string(), fc.record({ value: fc.integer() }, { noNullPrototype: true })),
    isParallel: fc.boolean(),
    tookUs: fc.nat(500),
    children: depth === 0 ? fc.constant([]) : fc.array(shapes(depth - 1), { maxLength: 4 }),
  });
}

/** Gives names: few of them, so that calls repeat, or one each, so that every divergence has one right place. */
function named(shape: Shape, nameOf: () => string): AgentCall {
  const { kind, children, ...rest } = shape;
  return {
    ...rest,
    label: `${kinds[kind] ?? 'tool'}:${nameOf()}`,
    children: children.map((child) => named(child, nameOf)),
  };
}

function agentOf(shape: Shape, nameOf: () => string): AgentCall {
  return { ...named(shape, nameOf), label: 'agent:root' };
}

function counter(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `name-${count}`;
  };
}

/** Root calls that are stubbed: every one of them is met by the replay. */
const agents = shapes(2).filter(({ children }) => children.some(({ kind }) => kind < 3));
const uniqueAgents = agents.map((shape) => agentOf(shape, counter()));
const runs = { numRuns: 150 };

function replaceAt<Item>(items: readonly Item[], index: number, change: (item: Item) => readonly Item[]): Item[] {
  return items.flatMap((item, at) => (at === index ? change(item) : [item]));
}

function stubbedIndex(agent: AgentCall, choice: number): number {
  const indices = agent.children.flatMap(({ label }, index) => (label.startsWith('agent:') ? [] : [index]));
  return indices[choice % indices.length] ?? 0;
}

function withChild(agent: AgentCall, choice: number, change: (child: AgentCall) => readonly AgentCall[]): AgentCall {
  return { ...agent, children: replaceAt(agent.children, stubbedIndex(agent, choice), change) };
}

function childOf(agent: AgentCall, choice: number): AgentCall {
  const child = agent.children[stubbedIndex(agent, choice)];
  if (child === undefined) throw new TypeError('the arbitrary makes at least one stubbed call');
  return child;
}

describe('a replay of unchanged code', () => {
  it('reports nothing, gives every call its own output, and keeps the order of completion', async () => {
    const repeating = agents.map((shape) => {
      const next = counter();
      return agentOf(shape, () => (/[02468]$/.test(next()) ? 'x' : 'y'));
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(repeating, uniqueAgents), async (agent) => {
        const recording = buildRecording(recordedPlan(agent));
        const { report, log } = await replayAgent(agent, recording);
        expect(log).toMatchObject({ wrong: [], refused: [] });
        expect(report.divergences).toEqual([]);
        expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
        expect(report.outcome).toMatchObject({ equal: true, stale: false });
        const { recorded, unrecorded, compared: _compared, ...became } = report.counts;
        expect(Object.values(became).reduce((all, one) => all + one, 0)).toBe(recorded + unrecorded);
        const met = new Set(
          report.crossings.flatMap(({ answer, recordedSpanId }) => (answer === 'stub' ? [recordedSpanId] : [])),
        );
        const recordedOrder = recording.crossings
          .filter(({ spanId }) => met.has(spanId))
          .sort((left, right) => (left.settled ?? 0) - (right.settled ?? 0))
          .map(({ outcome }) => (outcome.type === 'returned' ? outcome.value?.data : undefined));
        expect(log.completed.map((value) => JSON.stringify(value))).toEqual(recordedOrder);
      }),
      runs,
    );
  });

  it('reports nothing when calls are run live and do what they did', async () => {
    await fc.assert(
      fc.asyncProperty(uniqueAgents, fc.nat(), async (agent, choice) => {
        const live = [childOf(agent, choice).label];
        const { report } = await replayAgent(agent, buildRecording(recordedPlan(agent)), { live });
        expect(report.divergences).toEqual([]);
        expect(report.counts.live).toBe(1);
      }),
      runs,
    );
  });
});

describe('a replay of changed code', () => {
  it('reports a changed argument with its path', async () => {
    await fc.assert(
      fc.asyncProperty(uniqueAgents, fc.nat(), async (agent, choice) => {
        const { label, input } = childOf(agent, choice);
        const arguments_ = input as readonly unknown[];
        const changed = withChild(agent, choice, (child) => [{ ...child, input: [...arguments_, 'added'] }]);
        const { report } = await replayAgent(changed, buildRecording(recordedPlan(agent)));
        expect(report.exitCode).toBe(1);
        const [first] = report.divergences;
        expect(first).toMatchObject({ kind: 'input-changed', path: `agent:root/${label}` });
        expect(first?.causedBy).toBeUndefined();
        expect(first?.difference).toEqual([{ path: `$[${arguments_.length}]`, live: '"added"' }]);
      }),
      runs,
    );
  });

  it('tells 1 from "1"', async () => {
    await fc.assert(
      fc.asyncProperty(uniqueAgents, fc.nat(), async (agent, choice) => {
        const numbers = withChild(agent, choice, (child) => [{ ...child, input: [{ limit: 1 }] }]);
        const texts = withChild(agent, choice, (child) => [{ ...child, input: [{ limit: '1' }] }]);
        const { report } = await replayAgent(texts, buildRecording(recordedPlan(numbers)));
        expect(report.divergences.map(({ kind, difference }) => ({ kind, difference }))).toEqual([
          { kind: 'input-changed', difference: [{ path: '$[0].limit', recorded: '1', live: '"1"' }] },
        ]);
      }),
      runs,
    );
  });
});

describe('a replay of code with a call more or less', () => {
  it('reports a call that is no longer made', async () => {
    await fc.assert(
      fc.asyncProperty(uniqueAgents, fc.nat(), async (agent, choice) => {
        const { label } = childOf(agent, choice);
        const changed = withChild(agent, choice, () => []);
        const { report } = await replayAgent(changed, buildRecording(recordedPlan(agent)));
        expect(report.divergences).toMatchObject([{ kind: 'unconsumed', path: `agent:root/${label}` }]);
        expect(report.counts.unconsumed).toBe(1);
        expect(report.exitCode).not.toBe(0);
      }),
      runs,
    );
  });

  it('reports a call that was added, whether it is new or one too many', async () => {
    await fc.assert(
      fc.asyncProperty(uniqueAgents, fc.nat(), fc.boolean(), async (agent, choice, isNew) => {
        const added: AgentCall = isNew
          ? { ...childOf(agent, choice), label: 'tool:brand-new' }
          : childOf(agent, choice);
        const changed = { ...agent, isParallel: false, children: [...agent.children, added] };
        const recorded = { ...agent, isParallel: false };
        const { report, log } = await replayAgent(changed, buildRecording(recordedPlan(recorded)));
        const [first] = report.divergences;
        expect(first).toMatchObject({ kind: isNew ? 'never-recorded' : 'exhausted' });
        expect(first?.path).toBe(`agent:root/${added.label}${isNew ? '' : '#2'}`);
        expect(log.refused).toEqual([added.label]);
        expect(report.exitCode).toBe(1);
      }),
      runs,
    );
  });
});

describe('a replay of code that runs in another way', () => {
  it('reports two calls whose order was changed, where one had waited for the other', async () => {
    const inSequence = uniqueAgents.filter(({ children }) => children.length > 1);
    await fc.assert(
      fc.asyncProperty(inSequence, fc.nat(), async (agent, choice) => {
        const recorded = { ...agent, isParallel: false };
        const at = choice % (agent.children.length - 1);
        const [left, right] = [agent.children[at], agent.children[at + 1]];
        const children = replaceAt(agent.children, at, () => (right === undefined ? [] : [right]));
        const swapped = {
          ...recorded,
          children: replaceAt(children, at + 1, () => (left === undefined ? [] : [left])),
        };
        const { report } = await replayAgent(swapped, buildRecording(recordedPlan(recorded)));
        expect(report.divergences).toMatchObject([{ kind: 'reordered', path: `agent:root/${left?.label}` }]);
      }),
      runs,
    );
  });

  it('reports a live call that ends differently', async () => {
    await fc.assert(
      fc.asyncProperty(uniqueAgents, fc.nat(), async (agent, choice) => {
        const { label, output } = childOf(agent, choice);
        const changed = withChild(agent, choice, (child) => [{ ...child, output: { before: output, now: 'changed' } }]);
        const recording = buildRecording(recordedPlan(agent));
        const { report } = await replayAgent(changed, recording, { live: [label] });
        expect(report.divergences).toMatchObject([{ kind: 'output-changed', path: `agent:root/${label}` }]);
        expect(report.divergences[0]?.causedBy).toBeUndefined();
        expect(report.exitCode).toBe(1);
      }),
      runs,
    );
  });
});

import type { CrossingNode } from '@reenact/trace-model/collector-api';
import { expect, it } from 'vitest';
import { tokensByAgent, tokensInside } from './tokens-inside.ts';

function node(spanId: string, parentSpanId: string | undefined, kind: string, inputTokens?: number): CrossingNode {
  const tokens = inputTokens === undefined ? {} : { inputTokens, outputTokens: 1 };
  return { spanId, parentSpanId, kind, name: spanId.replace(/\d/, ''), ...tokens } as CrossingNode;
}

const nodes = [
  node('root', undefined, 'agent'),
  node('direct', 'root', 'model', 100),
  node('wire', 'direct', 'http'),
  node('helper1', 'root', 'agent'),
  // A framework's span repeats what the client inside of it says.
  node('framework', 'helper1', 'model', 30),
  node('step', 'framework', 'tool'),
  node('client', 'step', 'model', 20),
  node('other', 'step', 'embedding', 10),
  node('helper2', 'root', 'agent'),
  node('again', 'helper2', 'model', 500),
];

it('adds up each model call inside of a crossing once', () => {
  const inside = tokensInside(nodes);
  expect(inside.get('root')).toEqual({ calls: 4, inputTokens: 630, outputTokens: 4 });
  expect(inside.get('helper1')).toEqual({ calls: 2, inputTokens: 30, outputTokens: 2 });
  expect(inside.get('step')).toEqual(inside.get('helper1'));
});

it('has nothing of what no model was called inside of', () => {
  const inside = tokensInside(nodes);
  expect(['direct', 'wire', 'client'].filter((spanId) => inside.has(spanId))).toEqual([]);
});

it('tells which agents used them, the same agent once, each without those inside of it', () => {
  expect(tokensByAgent(nodes, tokensInside(nodes))).toEqual([
    { agent: 'helper', calls: 3, inputTokens: 530, outputTokens: 3 },
    { agent: 'root', calls: 1, inputTokens: 100, outputTokens: 1 },
  ]);
  const alone = [node('bare', undefined, 'model', 5), node('clock', undefined, 'tool')];
  expect(tokensByAgent(alone, tokensInside(alone))).toEqual([
    { agent: undefined, calls: 1, inputTokens: 5, outputTokens: 1 },
  ]);
});

it('adds up what they cost, and names the models that nobody gave a price', () => {
  const priced = (amount: number, unpricedModels?: string[]) => ({
    cost: { amount, currency: 'USD', ...(unpricedModels === undefined ? {} : { unpricedModels }) },
  });
  const costs = [
    node('root', undefined, 'agent'),
    { ...node('one', 'root', 'model', 100), ...priced(2) },
    { ...node('two', 'root', 'model', 100), ...priced(0, ['local']) },
    node('helper', 'root', 'agent'),
    { ...node('three', 'helper', 'model', 50), ...priced(0.5) },
  ];
  const inside = tokensInside(costs);
  expect(inside.get('root')).toMatchObject(priced(2.5, ['local']));
  expect(tokensByAgent(costs, inside)).toMatchObject([
    { agent: 'root', ...priced(2, ['local']) },
    { agent: 'helper', ...priced(0.5) },
  ]);
});

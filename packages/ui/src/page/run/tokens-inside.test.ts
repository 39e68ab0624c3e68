import type { CrossingNode } from '@reenact/trace-model/collector-api';
import { expect, it } from 'vitest';
import { tokensInside } from './tokens-inside.ts';

function node(spanId: string, parentSpanId: string | undefined, kind: string, inputTokens?: number): CrossingNode {
  const tokens = inputTokens === undefined ? {} : { inputTokens, outputTokens: 1 };
  return { spanId, parentSpanId, kind, ...tokens } as CrossingNode;
}

const root = node('root', undefined, 'agent');
const helper = node('helper', 'root', 'agent');
const nodes = [
  root,
  node('direct', 'root', 'model', 100),
  node('wire', 'direct', 'http'),
  helper,
  // A framework's span repeats what the client inside of it says.
  node('framework', 'helper', 'model', 30),
  node('step', 'framework', 'tool'),
  node('client', 'step', 'model', 20),
  node('other', 'step', 'embedding', 10),
];

it('adds up each model call inside of a crossing once', () => {
  expect(tokensInside(nodes, root)).toEqual({ calls: 3, inputTokens: 130, outputTokens: 3 });
  expect(tokensInside(nodes, helper)).toEqual({ calls: 2, inputTokens: 30, outputTokens: 2 });
});

it('counts nothing where no model was called inside', () => {
  expect(tokensInside(nodes, nodes[1] ?? root)).toEqual({ calls: 0, inputTokens: 0, outputTokens: 0 });
});

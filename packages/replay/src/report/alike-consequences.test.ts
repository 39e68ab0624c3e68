import type { Divergence } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { alikeText, gatherAlike } from './alike-consequences.ts';

function notMade(id: string, path: string, more: Partial<Divergence> = {}): Divergence {
  const causedBy = { divergence: 'd1', evidence: 'order' } as const;
  const message = `${path} was recorded, but the replay did not call it.`;
  return { id, kind: 'unconsumed', path, message, next: 'Find why.', causedBy, ...more };
}

function told(consequences: readonly Divergence[]): [string, string][] {
  return gatherAlike(consequences).map((group) => [group.first.id, alikeText(group)]);
}

describe('consequences that say the same', () => {
  it('are told once, with the first and the last of the others', () => {
    const paths = ['agent:a/tool:look', 'agent:a/tool:look#2', 'agent:a/tool:look#3'];
    expect(told(paths.map((path, index) => notMade(`d${index + 2}`, path)))).toEqual([
      ['d2', 'The same is true of 2 more, from agent:a/tool:look#2 (d3) to agent:a/tool:look#3 (d4).'],
    ]);
  });

  it.each([
    ['another name', notMade('d3', 'agent:a/tool:sell')],
    ['another place', notMade('d3', 'agent:a#2/tool:look')],
    ['another cause', notMade('d3', 'agent:a/tool:look#2', { causedBy: { divergence: 'd9', evidence: 'order' } })],
    ['another message', notMade('d3', 'agent:a/tool:look#2', { message: 'agent:a/tool:look#2 never ended.' })],
    ['a difference of its own', notMade('d3', 'agent:a/tool:look#2', { difference: [{ path: '$', recorded: '1' }] })],
  ])('are told apart by %s', (_, other) => {
    expect(told([notMade('d2', 'agent:a/tool:look'), other])).toEqual([
      ['d2', ''],
      ['d3', ''],
    ]);
  });
});

import type { Divergence } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { alikeText, gatherAlike } from './gather-alike.ts';

function notMade(id: string, path: string, more: Partial<Divergence> = {}): Divergence {
  const causedBy = { divergence: 'd1', evidence: 'order' } as const;
  const message = `${path} was recorded, but the replay did not call it.`;
  return { id, kind: 'unconsumed', path, message, next: 'Find why.', causedBy, ...more };
}

function told(consequences: readonly Divergence[]): [string, string][] {
  return gatherAlike(consequences).map((group) => [group.first.id, alikeText(group)]);
}

function changed(id: string, path: string, more: Partial<Divergence> = {}): Divergence {
  const message = `${path} was called with another input than recorded: it differs at $.prompt.`;
  const difference = [{ path: '$.prompt', recorded: '"be kind"', live: '"be brief"' }];
  const source = { file: '/app/judge.ts', line: 4, column: 2 };
  return {
    id,
    kind: 'input-changed',
    path,
    message,
    difference,
    differenceTotal: 1,
    source,
    next: 'Find why.',
    ...more,
  };
}

describe('calls of which the same value was changed', () => {
  const [first, second, third] = [
    changed('d1', 'agent:a/model:judge', { stale: ['agent:a/tool:act'] }),
    changed('d2', 'agent:a/model:judge#2'),
    changed('d3', 'agent:a/model:judge#3'),
  ] as const;

  it('are told once', () => {
    expect(told([first, second, third])).toEqual([
      ['d1', 'The same is true of 2 more, from agent:a/model:judge#2 (d2) to agent:a/model:judge#3 (d3).'],
    ]);
  });

  it.each([
    ['another line', { source: { file: '/app/judge.ts', line: 9, column: 2 } }],
    ['another value', { difference: [{ path: '$.prompt', recorded: '"be kind"', live: '"be quick"' }] }],
    ['what was served stale behind it', { stale: ['agent:a/tool:act#2'] }],
  ])('are told apart by %s', (_, more) => {
    expect(told([first, changed('d2', 'agent:a/model:judge#2', more)])).toHaveLength(2);
  });

  it('are told apart where one led to something', () => {
    const groups = gatherAlike([first, second, third], ({ id }) => id !== 'd2');
    expect(groups.map(({ first: { id }, alike }) => [id, alike.map((one) => one.id)])).toEqual([
      ['d1', ['d3']],
      ['d2', []],
    ]);
  });
});

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

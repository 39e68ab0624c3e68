import { buildRecording } from '@reenact/recordings/testing';
import { describe, expect, it } from 'vitest';
import { ignoredValues, resolveIgnores, withoutIgnored } from './ignored-fields.ts';

const { crossings } = buildRecording({ label: 'tool:t' });

function ignoring(path: string) {
  const [resolved] = resolveIgnores([{ selector: 'tool:t', path, why: 'it is made anew' }], () => ({
    matched: crossings,
  }));
  if (resolved === undefined) expect.fail('one rule was given');
  return resolved.path;
}

describe('an ignored place', () => {
  const tree = [{ id: 1, rows: [{ id: 2 }, { id: 3, name: 'c' }] }, { id: 4 }];
  const gone = { $: 'ignored' };

  it.each<[string, unknown, unknown[]]>([
    ['$[0].id', [{ rows: tree[0]?.rows }, { id: 4 }], [1]],
    ['$[1]', [tree[0], gone], [{ id: 4 }]],
    ['$[0].rows[1].id', [{ id: 1, rows: [{ id: 2 }, { name: 'c' }] }, { id: 4 }], [3]],
    ['$[0].rows[*].id', [{ id: 1, rows: [{}, { name: 'c' }] }, { id: 4 }], [2, 3]],
    ['$[*].id', [{ rows: tree[0]?.rows }, {}], [1, 4]],
    ['$[2].id', tree, []],
    ['$[0].other', tree, []],
  ])('%s is left out, and nothing beside it', (path, left, values) => {
    expect(withoutIgnored(tree, [ignoring(path)])).toEqual(left);
    expect(ignoredValues(tree, ignoring(path))).toEqual(values);
  });

  it('is never the whole input', () => {
    expect(() => ignoring('$')).toThrowError(expect.objectContaining({ code: 'bad-plan' }));
  });
});

import { describe, expect, it } from 'vitest';
import { namedSpans } from './named-spans.ts';

function found(text: string): string[] {
  return namedSpans(text).map(({ start, end }) => text.slice(start, end));
}

describe('the value of an option', () => {
  it.each([
    '--api-key=hunter2x',
    'mysql --password=hunter2x -e "select 1"',
    '-password=hunter2x',
    "--api-key='hunter2x'",
  ])('is found where it stands in the same word: %s', (text) => expect(found(text)).toEqual(['hunter2x']));

  it.each(['--verbose=hunter2x', 'a--password', '--password=true', 'x.--password=='])('%s has none', (text) =>
    expect(found(text)).toEqual([]),
  );
});

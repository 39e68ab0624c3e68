import { describe, expect, it } from 'vitest';
import { endOfJson } from './end-of-json.ts';

describe('where a text stops being JSON', () => {
  it.each([
    ['', 'from line 1, column 1 on'],
    ['httpPort: 1', 'from line 1, column 1 on'],
    ['{\n  "a": 1,\n}', 'from line 3, column 1 on'],
    ['[\n  {"sha256": secret}\n]', 'from line 2, column 14 on'],
    ['[1, 2', 'from line 1, column 6 on'],
    ['{"a": "b', 'from line 1, column 9 on'],
    ['[1] [2]', 'from line 1, column 5 on'],
    ['{"a": "line\nbreak"}', 'from line 1, column 12 on'],
    [`${'[]\n'.repeat(2)}`, 'from line 2, column 1 on'],
    ['[tru]', 'from line 1, column 5 on'],
  ])('is told of %j', (text, place) => {
    expect(endOfJson(text)).toBe(place);
  });

  it('is nowhere in one that is', () => {
    expect(endOfJson(' {"a": [1, -2.5e3, "\\u00e9"]} ')).toBeUndefined();
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prettyJson } from './pretty-json.ts';

describe('prettyJson', () => {
  it('puts long members on lines of their own and leaves short lists on one', () => {
    const text = JSON.stringify({ query: 'x'.repeat(60), ids: [1, 2, 3], none: {} });
    expect(prettyJson(text).split('\n')).toEqual([
      '{',
      `  "query": "${'x'.repeat(60)}",`,
      '  "ids": [1,2,3],',
      '  "none": {}',
      '}',
    ]);
  });

  it('shows numbers as they were written', () => {
    expect(prettyJson(`{"id": 12345678901234567890, "rate": 1.0, "text": "${'y'.repeat(60)}"}`)).toContain(
      '"id": 12345678901234567890,\n  "rate": 1.0,',
    );
  });

  it('leaves alone what is no JSON', () => {
    expect(prettyJson('{not json')).toBe('{not json');
    expect(prettyJson('plain text')).toBe('plain text');
  });

  it('means the same as before', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
        expect(JSON.parse(prettyJson(JSON.stringify(value)))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('takes a text of megabytes', () => {
    const text = JSON.stringify([`${'\\"'.repeat(1_000_000)}`, 'z'.repeat(2_000_000)]);
    expect(JSON.parse(prettyJson(text))).toEqual(JSON.parse(text));
  });
});

it('writes no more of a long text than is looked at', () => {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, place) => ({ place })));
  const whole = prettyJson(text);
  const cut = prettyJson(text, 1_000);
  expect([cut.length > 1_000, cut.length < 1_100, whole.startsWith(cut)]).toEqual([true, true, true]);
});

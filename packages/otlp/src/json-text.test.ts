import { describe, expect, it } from 'vitest';
import { parseJsonExact } from './json-text.ts';

describe('parseJsonExact', () => {
  it.each(['{"password":"secret",}', '{"a":secret}', '["secret" "x"]', 'secret', '{"a":"secret\u0001"}', '"secret'])(
    'says what is wrong with %j without quoting it',
    (text) => {
      const parsed = parseJsonExact(text);
      expect(parsed).toEqual({ ok: false, reason: expect.stringMatching(/^\w.*\w/) });
      expect(JSON.stringify(parsed)).not.toContain('secret');
    },
  );

  it('keeps integers that no number holds as they are written', () => {
    expect(parseJsonExact('[9007199254740993, 1.5]')).toEqual({ ok: true, value: ['9007199254740993', 1.5] });
  });
});

import { expect, it } from 'vitest';
import { unescapedJson } from './unescaped-json.ts';

it('shows the JSON that a text holds without its escapes, by itself, in a message, and in such a text', () => {
  expect(unescapedJson(JSON.stringify(JSON.stringify({ quantity: 1000 })))).toBe('"{"quantity":1000}"');
  const call = { name: 'place_order', arguments: JSON.stringify({ ids: [1, 2] }) };
  const message = { role: 'assistant', content: 'a "quote"', calls: JSON.stringify([call]) };
  expect(unescapedJson(JSON.stringify(message))).toBe(
    '{"role":"assistant","content":"a \\"quote\\"","calls":"[{"name":"place_order","arguments":"{"ids":[1,2]}"}]"}',
  );
});

it('leaves alone what holds no JSON, and what begins in the middle', () => {
  for (const value of ['12', 'null', '"a \\"b\\""', '{"a":"b"}', '…\\"a\\":\\"b\\"}" (900 characters)'])
    expect(unescapedJson(value)).toBe(value);
});

it('shows what was cut before its end', () => {
  expect(unescapedJson('"{\\"a\\":1,\\"b\\":\\"c… (900 characters)')).toBe('"{"a":1,"b":"c… (900 characters)');
  expect(unescapedJson('"{\\"a\\')).toBe('"{"a\\');
});

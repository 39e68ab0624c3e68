import { isReenactError } from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEditFlag, parseFailFlag } from './plan-flags.ts';

describe('--edit', () => {
  it.each([
    ['tool:get_quote:$.price=5', 'tool:get_quote', '$.price', 5],
    ['tool:get_quote#2:$={"a":"b=c"}', 'tool:get_quote#2', '$', { a: 'b=c' }],
    ['model:openai.chat:text="a: b = c"', 'model:openai.chat', 'text', 'a: b = c'],
    ['http:GET api.test:8080:$["odd = name"]=null', 'http:GET api.test:8080', '$["odd = name"]', null],
    ['agent:a/tool:text:error.message="no"', 'agent:a/tool:text', 'error.message', 'no'],
    ['0123456789abcdef:input.messages[0].content="x"', '0123456789abcdef', 'input.messages[0].content', 'x'],
    ['tool:ticks:chunks[3].price=1', 'tool:ticks', 'chunks[3].price', 1],
    ['tool:text:text="x"', 'tool:text', 'text', 'x'],
  ])('reads %s', (text, selector, at, value) => {
    expect(parseEditFlag(text)).toEqual({ selector, policy: 'edit', at, value });
  });

  it.each([
    'tool:get_quote',
    'tool:get_quote:$.price',
    '$.price=5',
    'tool:get_quote:$.price=five',
    'tool:x:text=no quotes',
  ])('refuses %s', (text) => {
    expect(() => parseEditFlag(text)).toThrow(/--edit/);
  });
});

describe('--fail', () => {
  it.each([
    ['tool:a:error', { type: 'error' }],
    ['tool:a:error={"class":"B","message":"m"}', { type: 'error', error: { class: 'B', message: 'm' } }],
    ['tool:a:timeout', { type: 'timeout' }],
    ['tool:a:status=429', { type: 'status', status: 429 }],
    ['tool:a:truncate=3', { type: 'truncate', afterChunks: 3 }],
  ])('reads %s', (text, failure) => {
    expect(parseFailFlag(text)).toEqual({ selector: 'tool:a', policy: 'fail', with: failure });
  });

  it.each([
    'tool:a',
    'tool:a:status',
    'tool:a:status=many',
    'tool:a:truncate=-1',
    'tool:a:timeout=3',
    'tool:a:explode',
  ])('refuses %s', (text) => {
    expect(() => parseFailFlag(text)).toThrow(/--fail/);
  });
});

describe('whatever stands there', () => {
  it('is read or refused with a plan error, never anything else', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(parseEditFlag, parseFailFlag), (text, parse) => {
        try {
          parse(text);
        } catch (error) {
          expect(isReenactError(error) && error.code).toBe('bad-plan');
        }
      }),
    );
  });
});

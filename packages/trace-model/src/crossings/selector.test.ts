import { describe, expect, it } from 'vitest';
import { parseSelector, selectorMatches } from './selector.ts';

const quote = {
  kind: 'tool',
  name: 'get_quote',
  spanId: '00f067aa0ba902b7',
  path: 'agent:trader/tool:get_quote#2',
  occurrence: 2,
};

describe('a selector matches', () => {
  it.each([
    'get_quote',
    'tool:get_quote',
    'tool:get_quote#2',
    'tool:*',
    '*:get_quote',
    'tool:get_*',
    '00f067aa0ba902b7',
    '00F067AA0BA902B7',
    'agent:trader/tool:get_quote#2',
    'agent:*/tool:*',
  ])('%s', (text) => {
    expect(selectorMatches(parseSelector(text), quote)).toBe(true);
  });

  it.each([
    'model:get_quote',
    'tool:get_quote#1',
    'get_quot',
    'tool:get',
    '00f067aa0ba902b8',
    'agent:trader/tool:get_quote',
    'tool:',
  ])('not %s', (text) => {
    expect(selectorMatches(parseSelector(text), quote)).toBe(false);
  });

  it('names with colons, slashes and dots as they are', () => {
    const http = { kind: 'http', name: 'GET api.example.com:8443' };
    expect(selectorMatches(parseSelector('http:GET api.example.com:8443'), http)).toBe(true);
    expect(selectorMatches(parseSelector('GET api.example.com:8443'), http)).toBe(true);
    const mcp = { kind: 'mcp', name: 'files/read_file' };
    expect(selectorMatches(parseSelector('mcp:files/read_file'), mcp)).toBe(true);
    expect(selectorMatches(parseSelector('mcp:files.read_file'), mcp)).toBe(false);
  });
});

describe('a selector', () => {
  it('knows whether it names crossings exactly', () => {
    expect(parseSelector('tool:place_order').exact).toBe(true);
    expect(parseSelector('tool:place_*').exact).toBe(false);
    expect(parseSelector('*:place_order').exact).toBe(false);
    expect(parseSelector('agent:*/tool:place_order').exact).toBe(false);
  });

  it.each(['', '   ', 'tool:get_quote#0'])('refuses %j with a reason', (text) => {
    expect(() => parseSelector(text)).toThrowError(expect.objectContaining({ code: 'bad-plan' }));
  });
});

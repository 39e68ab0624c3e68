import { describe, expect, it } from 'vitest';
import { modelInputDifference, type ToolChanges } from './model-input.ts';

const tool = (name: string, parameters: Record<string, unknown> = {}) => ({
  type: 'function',
  function: { name, description: `Calls ${name}.`, parameters },
});

function changesOf(recorded: readonly unknown[], live: readonly unknown[]): ToolChanges | undefined {
  return modelInputDifference({ recorded: { tools: recorded }, live: { tools: live } }).tools?.changes;
}

const none = { renamed: [], changed: [], removed: [], added: [] };
const [quote, news] = [tool('get_quote', { symbol: 'string' }), tool('get_news')];

describe('the tools of a model call', () => {
  it.each<[name: string, live: readonly unknown[], changes: Partial<ToolChanges>]>([
    ['one less', [quote], { removed: ['get_news'] }],
    ['one more', [quote, news, tool('limits', { of: 'string' })], { added: ['limits'] }],
    ['another schema of one', [tool('get_quote', { symbol: 'number' }), news], { changed: ['get_quote'] }],
    [
      'another name of one',
      [tool('fetch_quote', { symbol: 'string' }), news],
      { renamed: [['get_quote', 'fetch_quote']] },
    ],
    [
      'another name and schema of one',
      [tool('fetch_quote', { symbol: 'number' }), news],
      { removed: ['get_quote'], added: ['fetch_quote'] },
    ],
    ['another order', [news, quote], {}],
  ])('are told apart by what became of them: %s', (_, live, changes) => {
    expect(changesOf([quote, news], live)).toEqual({ ...none, ...changes });
  });

  it('are no change where they are the same', () => {
    expect(changesOf([quote, news], [quote, news])).toBeUndefined();
  });
});

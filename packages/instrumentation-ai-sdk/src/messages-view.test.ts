import { expect, it } from 'vitest';
import { inputMessages } from './messages-view.ts';

it('says of what a tool answered whether that is an error, and not of what it denied or gave as such', () => {
  const answers = [
    { type: 'error-text', value: 'no such order' },
    { type: 'error-json', value: { code: 7 } },
    { type: 'text', value: 'error-text' },
    { type: 'execution-denied', reason: 'by hand' },
  ].map((output) => ({ type: 'tool-result', toolCallId: 'c', toolName: 'get_order', output }));
  const [message] = inputMessages([{ role: 'tool', content: answers }]);
  const response = { type: 'tool_call_response', id: 'c' };
  expect(message?.parts).toEqual([
    { ...response, response: 'no such order', is_error: true },
    { ...response, response: { code: 7 }, is_error: true },
    { ...response, response: 'error-text' },
    { ...response, response: { type: 'execution-denied', reason: 'by hand' } },
  ]);
});

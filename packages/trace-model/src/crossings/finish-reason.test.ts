import { describe, expect, it } from 'vitest';
import { finishReason } from './finish-reason.ts';

describe('the reason for which a model stopped', () => {
  it.each([
    ['stop', ['stop', 'STOP', 'end_turn', 'stop_sequence', 'COMPLETE']],
    ['length', ['length', 'max_tokens', 'MAX_TOKENS', 'max_output_tokens', 'model_context_window_exceeded']],
    ['tool_call', ['tool_calls', 'tool-calls', 'tool_use', 'function_call', 'TOOL_CALL']],
    ['content_filter', ['content_filter', 'content-filter', 'refusal', 'SAFETY', 'guardrail_intervened']],
  ])('is %s by whatever name', (word, names) => {
    for (const name of names) expect(finishReason(name)).toBe(word);
  });

  it('stays as it was said where nobody knows it', () => {
    for (const name of ['RECITATION', 'pause_turn', 'constructor', '']) expect(finishReason(name)).toBe(name);
  });
});

const reasons: ReadonlyMap<string, string> = new Map([
  ['complete', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_calls', 'tool_call'],
  ['tool-calls', 'tool_call'],
  ['tool_use', 'tool_call'],
  ['function_call', 'tool_call'],
  ['content-filter', 'content_filter'],
  ['content_filtered', 'content_filter'],
  ['guardrail_intervened', 'content_filter'],
  ['refusal', 'content_filter'],
  ['safety', 'content_filter'],
]);

/** Words that mean the same in the conventions, some providers write in capitals. */
const words: ReadonlySet<string> = new Set([...reasons.values(), 'error']);

/** Why a model stopped, in the word of the conventions whatever its provider calls it; a word that nobody knows is kept as it is. */
export function finishReason(given: string): string {
  const lower = given.toLowerCase();
  return reasons.get(lower) ?? (words.has(lower) ? lower : given);
}

const reasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_call',
  refusal: 'content_filter',
};

/** The convention's word for a stop reason; a word it does not know is kept. */
export function finishReason(stopReason: string): string {
  return reasons[stopReason] ?? stopReason;
}

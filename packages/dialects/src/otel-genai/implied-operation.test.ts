import { fromMap, type PlainValue, type TracesData } from '@reenact/otlp';
import * as keys from '@reenact/semconv/gen-ai';
import { inputPreview, outcomePreview } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { assembleRecording } from '../assemble-recording.ts';

/** One span with these attributes and no name of an operation. */
function nameless(attributes: Record<string, PlainValue>): TracesData {
  const span = {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00000000000000a1',
    name: 'step',
    startTimeUnixNano: '1000',
    endTimeUnixNano: '2000',
    attributes: fromMap(Object.entries(attributes)),
  };
  return { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
}

const said = {
  [keys.ATTR_GEN_AI_INPUT_MESSAGES]: JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }]),
  [keys.ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify([
    { role: 'assistant', parts: [{ type: 'text', content: 'ho' }], finish_reason: 'stop' },
  ]),
};

describe('a span that does not name its operation', () => {
  it.each([
    [
      'asks a model',
      { ...said, [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'm-1', [keys.ATTR_GEN_AI_PROVIDER_NAME]: 'openai' },
      'model:openai.chat',
    ],
    ['is answered by one', { ...said, [keys.ATTR_GEN_AI_RESPONSE_MODEL]: 'm-1' }, 'model:unknown.chat'],
    ['is that of an agent', { ...said, [keys.ATTR_GEN_AI_AGENT_NAME]: 'helper' }, 'agent:helper'],
  ])('and %s is one by what it says', (_what, attributes, path) => {
    const [crossing, ...others] = assembleRecording(nameless(attributes)).crossings;
    expect([crossing?.path, others]).toEqual([path, []]);
    expect(crossing && [inputPreview(crossing), outcomePreview(crossing)]).toEqual(['user: hi', 'ho']);
  });

  it('is a tool by what it was given and came to', () => {
    const attributes = { [keys.ATTR_GEN_AI_TOOL_NAME]: 'look', [keys.ATTR_GEN_AI_TOOL_CALL_RESULT]: '3 rows' };
    expect(assembleRecording(nameless(attributes)).crossings.map(({ path }) => path)).toEqual(['tool:look']);
  });

  it.each([
    ['of messages alone', said],
    ['of a model alone', { [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'm-1' }],
    ['of a tool alone', { [keys.ATTR_GEN_AI_TOOL_NAME]: 'look' }],
    [
      'of an operation that nobody knows',
      { ...said, [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'm-1', [keys.ATTR_GEN_AI_OPERATION_NAME]: 'plan' },
    ],
  ])('or tells %s is none', (_what, attributes) => {
    expect(assembleRecording(nameless(attributes)).crossings).toEqual([]);
  });
});

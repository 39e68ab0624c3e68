import { readFileSync } from 'node:fs';
import { fromMap, type LogsData, type PlainValue, type Span, type SpanEvent, type TracesData } from '@reenact/otlp';
import * as keys from '@reenact/semconv/gen-ai';
import { type Crossing, inputPreview, outcomePreview, payloadTree, type Recording } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { assembleRecording } from '../assemble-recording.ts';

/** Telemetry as OpenTelemetry's Python instrumentations sent it for one agent: three model calls, two tool calls. */
function python(name: string): { readonly traces: TracesData; readonly logs: LogsData } {
  return JSON.parse(readFileSync(new URL(`testdata/${name}.json`, import.meta.url), 'utf8'));
}

function inputOf({ input }: Crossing): unknown {
  return input === undefined ? undefined : payloadTree(input);
}

function outputOf({ outcome }: Crossing): unknown {
  return outcome.type === 'returned' && outcome.value !== undefined ? payloadTree(outcome.value) : undefined;
}

function causesOf({ replayability }: Recording): string[] {
  return [...new Set(replayability.missing.map(({ cause }) => cause))];
}

/** One chat span with these attributes and events. */
function chatSpan(
  attributes: Record<string, PlainValue>,
  events: SpanEvent[] = [],
  more: Partial<Span> = {},
): TracesData {
  const all = { [keys.ATTR_GEN_AI_OPERATION_NAME]: 'chat', [keys.ATTR_GEN_AI_SYSTEM]: 'openai', ...attributes };
  const span: Span = {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00000000000000a1',
    name: 'chat',
    startTimeUnixNano: '1000',
    endTimeUnixNano: '2000',
    attributes: fromMap(Object.entries(all)),
    events,
    ...more,
  };
  return { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
}

function event(name: string, attributes: Record<string, PlainValue>): SpanEvent {
  return { timeUnixNano: '1500', name, attributes: fromMap(Object.entries(attributes)) };
}

const user = [{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }];
const assistant = [{ role: 'assistant', parts: [{ type: 'text', content: 'ho' }], finish_reason: 'stop' }];

const both: Record<string, PlainValue> = {
  [keys.ATTR_GEN_AI_INPUT_MESSAGES]: JSON.stringify(user),
  [keys.ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify(assistant),
};

describe('real Python telemetry', () => {
  it.each(['span-attributes', 'log-events', 'legacy-log-events'])('is rebuilt whole from %s', (name) => {
    const { traces, logs } = python(name);
    const recording = assembleRecording(traces, logs);
    expect(recording.replayability.verdict).toBe('partial');
    expect(causesOf(recording)).toEqual(['reconstructed']);
    expect(recording.crossings.map(({ path }) => path)).toEqual([
      'model:openai.chat',
      'model:openai.chat#2',
      'model:openai.chat#3',
    ]);
    const [first, , last] = recording.crossings;
    expect(first === undefined ? undefined : inputOf(first)).toMatchObject({
      model: 'gpt-4o-mini',
      temperature: 0.2,
      max_tokens: 300,
      messages: [
        { role: 'system', parts: [{ content: expect.stringMatching(/^You help customers/) }] },
        { role: 'user', parts: [{ content: 'Where is my order 4711?' }] },
      ],
    });
    expect(last === undefined ? undefined : outputOf(last)).toMatchObject({
      messages: [
        { parts: [{ content: 'Your order 4711 is out for delivery with Möwe Express.' }], finish_reason: 'stop' },
      ],
      inputTokens: 190,
      outputTokens: 15,
    });
  });

  it('is a cold case without the logs that hold its content, and says which setting helps', () => {
    const { traces } = python('log-events');
    const { replayability } = assembleRecording(traces);
    expect(replayability.verdict).toBe('cold');
    expect(replayability.missing.find(({ cause }) => cause === 'no-outcome')?.detail).toMatch(
      /CAPTURE_MESSAGE_CONTENT/,
    );
  });

  it('keeps joined log events in what the recording was assembled from', () => {
    const { traces, logs } = python('log-events');
    const again = assembleRecording(assembleRecording(traces, logs).data);
    expect(again.replayability.verdict).toBe('partial');
  });

  it('is cold where nothing was captured, with every call named', () => {
    const { traces, logs } = python('no-content');
    const recording = assembleRecording(traces, logs);
    expect(recording.replayability.verdict).toBe('cold');
    expect(causesOf(recording)).toEqual(['no-crossings', 'no-input', 'no-outcome']);
  });
});

describe('where content may stand', () => {
  const openAi = { messages: [{ role: 'user', content: 'hi' }] };

  it.each<[string, TracesData]>([
    ['attributes as JSON text', chatSpan(both)],
    [
      'structured attributes',
      chatSpan({ [keys.ATTR_GEN_AI_INPUT_MESSAGES]: user, [keys.ATTR_GEN_AI_OUTPUT_MESSAGES]: assistant }),
    ],
    ['a details event on the span', chatSpan({}, [event(keys.EVENT_GEN_AI_CLIENT_INFERENCE_OPERATION_DETAILS, both)])],
    [
      'prompt and completion attributes',
      chatSpan({
        [keys.ATTR_GEN_AI_PROMPT]: JSON.stringify(openAi),
        [keys.ATTR_GEN_AI_COMPLETION]: JSON.stringify({
          choices: [{ message: { content: 'ho' }, finish_reason: 'stop' }],
        }),
      }),
    ],
    [
      'content events',
      chatSpan({}, [
        event(keys.EVENT_GEN_AI_CONTENT_PROMPT, { [keys.ATTR_GEN_AI_PROMPT]: JSON.stringify(openAi.messages) }),
        event(keys.EVENT_GEN_AI_CONTENT_COMPLETION, {
          [keys.ATTR_GEN_AI_COMPLETION]: JSON.stringify([{ role: 'assistant', content: 'ho', finish_reason: 'stop' }]),
        }),
      ]),
    ],
    [
      'message events on the span',
      chatSpan({}, [
        event(keys.EVENT_GEN_AI_USER_MESSAGE, { content: 'hi' }),
        event(keys.EVENT_GEN_AI_CHOICE, { message: 'ho', finish_reason: 'stop' }),
      ]),
    ],
    [
      'message events as JSON text',
      chatSpan({}, [
        event(keys.EVENT_GEN_AI_USER_MESSAGE, { [keys.ATTR_GEN_AI_EVENT_CONTENT]: '{"content":"hi"}' }),
        event(keys.EVENT_GEN_AI_CHOICE, {
          [keys.ATTR_GEN_AI_EVENT_CONTENT]: '{"index":0,"finish_reason":"stop","message":{"content":"ho"}}',
        }),
      ]),
    ],
  ])('%s is read', (_name, data) => {
    const [crossing] = assembleRecording(data).crossings;
    expect(crossing).toMatchObject({ reconstructed: true, call: 'exchange', exchanges: [] });
    expect(crossing === undefined ? undefined : inputOf(crossing)).toMatchObject({ messages: user });
    expect(crossing === undefined ? undefined : outputOf(crossing)).toMatchObject({ messages: assistant });
  });
});

describe('what goes with the messages', () => {
  it('puts system instructions before the messages', () => {
    const instructions = [{ type: 'text', content: 'Be kind.' }];
    for (const value of [JSON.stringify(instructions), instructions, 'Be kind.']) {
      const data = chatSpan({ ...both, [keys.ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]: value });
      const [crossing] = assembleRecording(data).crossings;
      expect(crossing === undefined ? undefined : inputOf(crossing)).toMatchObject({
        messages: [{ role: 'system', parts: instructions }, ...user],
      });
    }
  });

  it('compares tools by name only where their parameters were left out', () => {
    const policyWith = (tools: PlainValue): string | undefined =>
      assembleRecording(chatSpan({ ...both, [keys.ATTR_GEN_AI_TOOL_DEFINITIONS]: tools })).crossings[0]
        ?.canonicalPolicy;
    expect(policyWith([{ type: 'function', name: 'f' }])).toBe('semconv-messages/1(messages,tool_names)');
    expect(policyWith('[{"type":"function","name":"f","parameters":{}}]')).toBe('semconv-messages/1(messages,tools)');
  });
});

describe('half a conversation', () => {
  it.each<[string, TracesData]>([
    ['only what was asked', chatSpan({ [keys.ATTR_GEN_AI_INPUT_MESSAGES]: JSON.stringify(user) })],
    ['only what was answered', chatSpan({ [keys.ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify(assistant) })],
    [
      'text cut in the middle',
      chatSpan({ [keys.ATTR_GEN_AI_INPUT_MESSAGES]: '[{"role":', [keys.ATTR_GEN_AI_OUTPUT_MESSAGES]: '[]' }),
    ],
    [
      'events without their content',
      chatSpan({}, [
        event(keys.EVENT_GEN_AI_USER_MESSAGE, {}),
        event(keys.EVENT_GEN_AI_CHOICE, { index: 0, finish_reason: 'stop', message: { role: 'assistant' } }),
      ]),
    ],
  ])('%s is never passed off as a whole one', (_name, data) => {
    const recording = assembleRecording(data);
    expect(recording.crossings[0]?.reconstructed).toBeUndefined();
    expect(recording.replayability.verdict).toBe('cold');
  });

  it('a call that failed has no answer to rebuild', () => {
    const whole = { [keys.ATTR_GEN_AI_INPUT_MESSAGES]: user, [keys.ATTR_GEN_AI_OUTPUT_MESSAGES]: assistant };
    const recording = assembleRecording(chatSpan(whole, [], { status: { code: 2 } }));
    expect(recording.crossings[0]).toMatchObject({ outcome: { type: 'threw' } });
    expect(recording.replayability.missing.find(({ cause }) => cause === 'no-outcome')?.detail).toMatch(/failed call/);
  });
});

describe('one side of a conversation', () => {
  const [input, output] = [keys.ATTR_GEN_AI_INPUT_MESSAGES, keys.ATTR_GEN_AI_OUTPUT_MESSAGES];
  const details = keys.EVENT_GEN_AI_CLIENT_INFERENCE_OPERATION_DETAILS;

  it.each([
    ['asked', chatSpan({ [input]: both[input] ?? '' }), ['user: hi', '(not recorded)'], ['no-crossings', 'no-outcome']],
    [
      'answered',
      chatSpan({}, [event(details, { [output]: both[output] ?? '' })]),
      ['(not recorded)', 'ho'],
      ['no-crossings', 'no-input'],
    ],
    [
      'asked of a model that failed',
      chatSpan({ [input]: both[input] ?? '' }, [], { status: { code: 2 } }),
      ['user: hi', '✗ an error'],
      ['no-crossings', 'no-outcome'],
    ],
    ['asked and answered', chatSpan({}, [event(details, both)]), ['user: hi', 'ho'], ['reconstructed']],
  ])('is what was %s: it is shown, and only what is not there is said to be missing', (_, traces, shown, causes) => {
    const recording = assembleRecording(traces, { resourceLogs: [] });
    const [crossing] = recording.crossings as [Crossing];
    expect([inputPreview(crossing), outcomePreview(crossing)]).toEqual(shown);
    expect(causesOf(recording)).toEqual(causes);
    if (causes.length > 1) expect(recording.replayability.verdict).toBe('cold');
  });
});

describe('content that lies elsewhere and was not fetched', () => {
  it('is a cold case that says where it lies, and not that it should have been captured', () => {
    const place = 'file:///var/genai/in.json';
    const sides = {
      [keys.ATTR_GEN_AI_INPUT_MESSAGES_REF]: place,
      [keys.ATTR_GEN_AI_OUTPUT_MESSAGES]: both[keys.ATTR_GEN_AI_OUTPUT_MESSAGES] ?? '',
    };
    const { missing } = assembleRecording(chatSpan(sides)).replayability;
    const input = missing.find(({ cause }) => cause === 'no-input');
    expect(input?.detail).toBe(
      `It lies at ${place}, and was not read: see that \`references\` in the configuration of the collector allow that place, and that it holds what was referred to.`,
    );
  });
});

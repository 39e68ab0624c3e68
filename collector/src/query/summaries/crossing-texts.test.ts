import type { KeyValue, Span, TracesData } from '@reenact/otlp';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
} from '@reenact/semconv/gen-ai';
import { digestOf } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { CROSSING_TEXT_CHARACTERS_MAX, SCANNED_CHARACTERS_MIN } from '../limits.ts';
import { assembleTrace } from '../traces/assemble-trace.ts';
import { readSpans } from '../traces/read-span.ts';
import { crossingTexts } from './crossing-texts.ts';

const text = (key: string, stringValue: string): KeyValue => ({ key, value: { stringValue } });
const said = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);

/** The texts of a model call that another instrumentation recorded, by part. */
function textsOf(attributes: KeyValue[], members: Partial<Span>): Record<string, string> {
  const span: Span = {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    name: 'chat',
    startTimeUnixNano: '5',
    endTimeUnixNano: '9',
    attributes: [text(ATTR_GEN_AI_OPERATION_NAME, 'chat'), ...attributes],
    ...members,
  };
  const data: TracesData = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
  const found = crossingTexts(assembleTrace(data).recording?.crossings ?? [], readSpans(data));
  return Object.fromEntries(found.map((entry) => [entry.part, entry.text]));
}

/** A crossing of ours that returned this. */
function textsReturning(output: string): ReturnType<typeof crossingTexts> {
  const facts = {
    'reenact.schema': '1',
    'reenact.boundary': 'tool',
    'reenact.outcome': 'returned',
    'reenact.output': output,
    'reenact.output.digest': digestOf(output),
  };
  const span: Span = {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    name: 'look_up',
    startTimeUnixNano: '5',
    endTimeUnixNano: '9',
    attributes: Object.entries(facts).map(([key, value]) => text(key, value)),
  };
  const data: TracesData = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
  return crossingTexts(assembleTrace(data).recording?.crossings ?? [], readSpans(data));
}

const asked = [
  text(ATTR_GEN_AI_SYSTEM_INSTRUCTIONS, JSON.stringify([{ type: 'text', content: 'be brief' }])),
  text(ATTR_GEN_AI_INPUT_MESSAGES, said('user', 'sell 1,000 shares')),
];

describe('what can be searched of a call that another instrumentation recorded', () => {
  it('is what was asked and why it failed, where it failed', () => {
    const texts = textsOf(asked, { status: { code: 2, message: 'overloaded' } });
    expect(texts.input).toContain('sell 1,000 shares');
    expect(texts.input).toContain('be brief');
    expect(texts.error).toContain('overloaded');
  });

  it('is what was asked also where no answer was captured, and each piece once where one was', () => {
    expect(textsOf(asked, {}).input).toContain('sell 1,000 shares');
    const answered = textsOf([...asked, text(ATTR_GEN_AI_OUTPUT_MESSAGES, said('assistant', 'sold'))], {});
    expect(answered.input?.split('sell 1,000 shares')).toHaveLength(2);
    expect(answered.output).toContain('sold');
  });

  it('is what was written where that is no JSON', () => {
    expect(textsOf([text(ATTR_GEN_AI_INPUT_MESSAGES, 'plain words')], {}).input).toBe('plain words');
  });
});

describe('what can be searched of the steps of a conversation', () => {
  /** The texts of steps of one agent, each of which sends all messages up to its own. */
  function textsOfSteps(sent: readonly string[]): [spanId: string, part: string, text: string][] {
    const spans = sent.map((messages, step): Span => {
      const answer = said('assistant', `answer ${step}`);
      const content = [text(ATTR_GEN_AI_INPUT_MESSAGES, messages), text(ATTR_GEN_AI_OUTPUT_MESSAGES, answer)];
      return {
        traceId: 'a'.repeat(32),
        spanId: `${step}`.padStart(16, '0'),
        name: 'chat',
        startTimeUnixNano: `${step + 1}`,
        endTimeUnixNano: `${step + 2}`,
        attributes: [text(ATTR_GEN_AI_OPERATION_NAME, 'chat'), ...content],
      };
    });
    const data: TracesData = { resourceSpans: [{ scopeSpans: [{ spans }] }] };
    const found = crossingTexts(assembleTrace(data).recording?.crossings ?? [], readSpans(data));
    return found.map(({ spanId, part, text: all }) => [spanId, part, all]);
  }

  const lines = ['first', 'second', 'third', 'fourth'];
  const messages = lines.map((content) => ({ role: 'user', parts: [{ type: 'text', content }] }));
  const grown = messages.map((_, step) => messages.slice(0, step + 1));

  it('is what each step adds, however its list is written', () => {
    const expected = lines.flatMap((line, step) => {
      const spanId = `${step}`.padStart(16, '0');
      // What kind of part it is has been seen with the first.
      const asked = step === 0 ? `user\ntext\n${line}` : line;
      return [
        [spanId, 'input', asked],
        [spanId, 'output', step === 0 ? 'assistant\nanswer 0' : `answer ${step}`],
      ];
    });
    expect(textsOfSteps(grown.map((list) => JSON.stringify(list)))).toEqual(expected);
    expect(textsOfSteps(grown.map((list) => JSON.stringify(list, undefined, 1)))).toEqual(expected);
  });

  it('is what a step had no room for where a later one sends it again', () => {
    const long = `long ${'word '.repeat(CROSSING_TEXT_CHARACTERS_MAX / 5)}`;
    const first = [{ role: 'user', parts: [{ type: 'text', content: long }] }];
    const sent = [first, ...grown].map((list, step) =>
      JSON.stringify(step === 0 ? [...list, messages[0]] : [...first, ...list]),
    );
    const texts = textsOfSteps(sent);
    expect(texts[0]?.[2]).not.toContain('first');
    expect(texts.find(([, part, all]) => part === 'input' && all.includes('first'))?.[0]).toBe('1'.padStart(16, '0'));
  });
});

describe('what can be searched of a large payload', () => {
  const rows = Array.from({ length: 30_000 }, (_, id) => ({
    id,
    note: `order ${id} "of" many`,
    said: ['{"to":["Ada"]}'],
  }));

  it('is the same as of a small one that begins so', () => {
    const large = JSON.stringify(rows);
    expect(large.length).toBeGreaterThan(SCANNED_CHARACTERS_MIN);
    expect(textsReturning(large)).toEqual(textsReturning(JSON.stringify(rows.slice(0, 5_000))));
    expect(textsReturning(JSON.stringify(large))).toEqual(textsReturning(large));
    expect(textsReturning(large)[0]?.text).toMatch(/^0\norder 0 "of" many\nAda\n1\norder 1 /);
  });

  it('is nothing where it is no JSON', () => {
    expect(textsReturning(`${JSON.stringify(rows)},`)).toEqual([]);
  });
});

describe('what can be searched of what a crossing of ours returned', () => {
  it('is no word where that is nothing, or has a member that is', () => {
    expect(textsReturning('{"$":"undefined"}')).toEqual([]);
    expect(textsReturning('{"note":{"$":"undefined"},"price":3}')[0]?.text).toBe('3');
    // A text that says so was said.
    expect(textsReturning('{"note":"undefined"}')[0]?.text).toBe('undefined');
  });
});

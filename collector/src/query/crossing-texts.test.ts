import type { KeyValue, Span, TracesData } from '@reenact/otlp';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
} from '@reenact/semconv/gen-ai';
import { digestOf } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { SCANNED_CHARACTERS_MIN } from '../limits.ts';
import { assembleTrace } from './assemble-trace.ts';
import { crossingTexts } from './crossing-texts.ts';
import { readSpans } from './read-span.ts';

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

describe('what can be searched of a large payload', () => {
  const rows = Array.from({ length: 30_000 }, (_, id) => ({
    id,
    note: `order ${id} "of" many`,
    said: ['{"to":["Ada"]}'],
  }));

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

import { diag } from '@opentelemetry/api';
import { ATTR_GEN_AI_TOOL_CALL_ARGUMENTS, ATTR_GEN_AI_TOOL_CALL_RESULT } from '@reenact/semconv/gen-ai';
import { isReenactError } from '@reenact/trace-model';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configureHostContent, gate, type HostContentPolicy, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { hostContentOf } from './host-content.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(async () => {
  configureHostContent(undefined);
  await host.stop();
});

const secret = `sk-proj-${'a1B2'.repeat(12)}`;
const look = tool('look', (question: { text: string; secret: string }) => ({ answer: `${question.text} indeed` }));

interface Seen {
  readonly own: Record<string, unknown>;
  readonly recorded: Record<string, unknown>;
}

async function seenOf(policy: HostContentPolicy, question: { text: string; secret: string }): Promise<Seen> {
  configureHostContent(policy);
  look(question);
  const [own] = host.own.getFinishedSpans();
  const [recorded] = await host.recorded();
  expect(own?.spanContext()).toEqual(recorded?.spanContext());
  return { own: own?.attributes ?? {}, recorded: recorded?.attributes ?? {} };
}

const long = { text: 'x'.repeat(3_000), secret };

describe('what the exporters of the app see', () => {
  it('is nothing of the content by default', async () => {
    const { own } = await seenOf({ content: 'none' }, long);
    expect(JSON.stringify(own)).not.toContain('xxx');
  });

  it('is all of it after redaction, and never the payload', async () => {
    const { own, recorded } = await seenOf({ content: 'full' }, long);
    expect(own[ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]).toBe(recorded[ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]);
    expect(own[ATTR_GEN_AI_TOOL_CALL_RESULT]).toBe(JSON.stringify({ answer: `${long.text} indeed` }));
    expect(JSON.stringify(own)).not.toContain(secret);
    expect(Object.keys(own).filter((key) => key.startsWith('reenact.'))).toEqual([]);
  });

  it('is the beginning where it is truncated, while the recording stays whole', async () => {
    const { own, recorded } = await seenOf({ content: 'truncated', charactersMax: 20 }, long);
    expect(own[ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]).toBe(`{"text":"${'x'.repeat(11)}…`);
    expect(recorded[ATTR_GEN_AI_TOOL_CALL_RESULT]).toBe(JSON.stringify({ answer: `${long.text} indeed` }));
    expect(recorded['reenact.input']).toContain(long.text);
  });

  it('is nothing where less than everything is captured', () => {
    configureHostContent({ content: 'full' });
    tool('digested', (text: string) => text, { capture: 'digest' })('private');
    tool('hidden', (text: string) => text, { capture: 'none' })('private');
    expect(JSON.stringify(host.own.getFinishedSpans().map(({ attributes }) => attributes))).not.toContain('private');
  });

  it('does not need a recording', () => {
    configureHostContent({ content: 'full' });
    gate.configure({ recorder: undefined });
    look({ text: 'alone', secret });
    expect(host.own.getFinishedSpans()[0]?.attributes[ATTR_GEN_AI_TOOL_CALL_RESULT]).toBe('{"answer":"alone indeed"}');
  });

  it('holds no half of a character, wherever it is cut', () => {
    const echo = tool('echo', (text: string) => ({ text }));
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 30 }), (text, charactersMax) => {
        configureHostContent({ content: 'truncated', charactersMax });
        host.own.reset();
        expect(echo(text)).toEqual({ text });
        const shown = host.own.getFinishedSpans()[0]?.attributes[ATTR_GEN_AI_TOOL_CALL_RESULT];
        expect(String(shown).isWellFormed()).toBe(true);
        expect(String(shown).length).toBeLessThanOrEqual(charactersMax + 1);
      }),
      { numRuns: 25 },
    );
  });
});

describe('the content policy', () => {
  it.each([
    [undefined, 'none'],
    ['NO_CONTENT', 'none'],
    ['EVENT_ONLY', 'none'],
    ['SPAN_ONLY', 'full'],
    ['span_and_event', 'full'],
    ['true', 'full'],
    ['false', 'none'],
    ['rubbish', 'none'],
  ])('takes the setting of OpenTelemetry: %s means %s', (setting, content) => {
    expect(hostContentOf({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: setting })).toEqual({ content });
  });

  it.each([
    [
      'bogus',
      /is bogus, not one of NO_CONTENT, SPAN_ONLY, EVENT_ONLY, SPAN_AND_EVENT, true, false; no content is shown/,
    ],
    ['EVENT_ONLY', /is EVENT_ONLY: Reenact puts content on spans or nowhere \(SPAN_ONLY, SPAN_AND_EVENT\); no content/],
  ])('says of the setting of OpenTelemetry what can be used instead of %s', (setting, words) => {
    const told: string[] = [];
    const say = (message: string): void => void told.push(message);
    diag.setLogger({ error: say, warn: say, info: say, debug: say, verbose: say });
    hostContentOf({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: setting });
    diag.disable();
    expect(told).toEqual([expect.stringMatching(words)]);
  });

  it.each([
    ['truncated', 'truncated'],
    ['none', 'none'],
    ['everything', 'none'],
  ])('takes our own first: %s means %s', (own, content) => {
    const environment = { REENACT_HOST_CONTENT: own, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' };
    expect(hostContentOf(environment)).toEqual({ content });
  });

  it.each([{ content: 'some' }, { content: 'truncated', charactersMax: 0 }])('refuses %j', (policy) => {
    let thrown: unknown;
    try {
      configureHostContent(policy as never);
    } catch (error) {
      thrown = error;
    }
    expect(isReenactError(thrown) && thrown.code).toBe('bad-argument');
  });
});

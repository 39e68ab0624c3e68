import type { Span, TracesData } from '@reenact/otlp';
import { ATTR_ERROR_TYPE, ATTR_SESSION_ID, ATTR_USER_ID } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_CONVERSATION_ID,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
} from '@reenact/semconv/gen-ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SummarisedRun } from '../../store/store.ts';
import { SUMMARY_MISSING_MAX } from '../limits.ts';
import { assembleTrace } from '../traces/assemble-trace.ts';
import { summariseRun } from './run-summary.ts';

const COUNT = 6;
const idOf = (number: number) => `b${String(number).padStart(15, '0')}`;

function summarise(spans: Span[], conflictingSpans = 0): SummarisedRun {
  const data: TracesData = { resourceSpans: [{ scopeSpans: [{ spans }] }] };
  return summariseRun(assembleTrace(data), { conflictingSpans, keepsText: true });
}

function spanOf(number: number, parent: number | undefined, members: Partial<Span> = {}): Span {
  return {
    traceId: 'a'.repeat(32),
    spanId: idOf(number),
    ...(parent === undefined ? {} : { parentSpanId: idOf(parent) }),
    name: `span ${number}`,
    startTimeUnixNano: '5',
    endTimeUnixNano: '9',
    attributes: [
      { key: ATTR_GEN_AI_OPERATION_NAME, value: { stringValue: 'chat' } },
      { key: ATTR_GEN_AI_USAGE_INPUT_TOKENS, value: { intValue: '1' } },
    ],
    ...members,
  };
}

describe('summariseRun', () => {
  it('ends on every shape of parents: rings, orphans, spans that are their own parent', () => {
    const parents = fc.array(fc.option(fc.nat({ max: COUNT }), { nil: undefined }), { minLength: 1, maxLength: COUNT });
    const time = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
    fc.assert(
      fc.property(parents, time, time, (found, startTimeUnixNano, endTimeUnixNano) => {
        const spans = found.map((parent, number) => spanOf(number, parent, { startTimeUnixNano, endTimeUnixNano }));
        const { summary } = summarise(spans);
        expect(summary.spanCount).toBe(spans.length);
        expect(summary.durationMs).toBeGreaterThanOrEqual(0);
        expect(summary.inputTokens).toBeLessThanOrEqual(spans.length);
        expect(Date.parse(summary.startedAt)).not.toBeNaN();
      }),
    );
  });

  it('takes a span without a parent for the root, even when an orphan started earlier', () => {
    const spans = [spanOf(1, 99, { startTimeUnixNano: '1' }), spanOf(2, undefined), spanOf(3, 2)];
    expect(summarise(spans, 2).summary).toMatchObject({
      rootSpanId: idOf(2),
      inputTokens: 2,
      conflictingSpans: 2,
    });
  });

  it('finds the session and the conversation on whichever span carries them', () => {
    const named = (number: number, key: string, id: string) =>
      spanOf(number, 1, { attributes: [{ key, value: { stringValue: id } }] });
    const spans = [
      spanOf(1, undefined),
      named(2, ATTR_SESSION_ID, 's-1'),
      named(3, ATTR_GEN_AI_CONVERSATION_ID, 'c-1'),
      named(4, ATTR_SESSION_ID, 's-1'),
    ];
    expect(summarise(spans).facets.session).toEqual(['c-1', 's-1']);
  });

  it('names every cause of what is missing, and of many things alike only some', () => {
    const calls = Array.from({ length: 1_000 }, (_, number) => spanOf(number + 1, number === 0 ? undefined : 1));
    const pending = spanOf(2_000, 1_999, { endTimeUnixNano: '0' });
    const { summary, facets } = summarise([...calls, pending]);
    const { missing, moreMissing = 0 } = summary.replayability;
    expect(new Set(missing.map(({ cause }) => cause))).toEqual(new Set(facets.missing));
    expect(missing.length).toBeLessThan(SUMMARY_MISSING_MAX + 10);
    const all = assembleTrace({ resourceSpans: [{ scopeSpans: [{ spans: [...calls, pending] }] }] });
    expect(missing.length + moreMissing).toBe(all.replayability.missing.length);
    expect(summarise([spanOf(1, undefined)]).summary.replayability).not.toHaveProperty('moreMissing');
  });

  it('measures a pending root by the last end it knows', () => {
    const spans = [spanOf(1, undefined, { endTimeUnixNano: '0' }), spanOf(2, 1, { endTimeUnixNano: '2000005' })];
    expect(summarise(spans).summary.durationMs).toBe(2);
  });
});

describe('what a run is found by', () => {
  it('is a number as well as a text, as ids of users are in many databases', () => {
    const attributes = [
      { key: ATTR_USER_ID, value: { intValue: '42' } },
      { key: ATTR_SESSION_ID, value: { intValue: '9007199254740993' } },
      { key: ATTR_ERROR_TYPE, value: { intValue: '429' } },
      { key: ATTR_GEN_AI_CONVERSATION_ID, value: { boolValue: true } },
    ];
    const { facets, summary } = summarise([spanOf(1, undefined, { attributes })]);
    expect(facets).toMatchObject({ user: ['42'], session: ['9007199254740993'], errorType: ['429'] });
    expect(facets.conversation).toBeUndefined();
    expect(summary).toMatchObject({
      users: ['42'],
      sessions: ['9007199254740993'],
      errorTypes: ['429'],
      errorCount: 1,
    });
  });

  it('is who its resource names, too, where a process is of one user or one session', () => {
    const attributes = [
      { key: ATTR_USER_ID, value: { stringValue: 'ada' } },
      { key: ATTR_SESSION_ID, value: { stringValue: 's-1' } },
      { key: ATTR_GEN_AI_CONVERSATION_ID, value: { stringValue: 'c-1' } },
      { key: 'reenact.tenant', value: { stringValue: 'north' } },
      { key: ATTR_GEN_AI_OPERATION_NAME, value: { stringValue: 'chat' } },
    ];
    const data: TracesData = {
      resourceSpans: [
        { resource: { attributes }, scopeSpans: [{ spans: [spanOf(1, undefined, { attributes: [] })] }] },
      ],
    };
    const { facets } = summariseRun(assembleTrace(data), { conflictingSpans: 0, keepsText: true });
    expect(facets).toMatchObject({ user: ['ada'], session: ['c-1', 's-1'], conversation: ['c-1'], tenant: ['north'] });
    expect(facets.operation).toBeUndefined();
  });
});

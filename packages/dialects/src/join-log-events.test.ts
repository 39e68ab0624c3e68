import type { LogRecord, LogsData, Span, TracesData } from '@reenact/otlp';
import { EVENT_GEN_AI_CHOICE, EVENT_GEN_AI_USER_MESSAGE } from '@reenact/semconv/gen-ai';
import { describe, expect, it } from 'vitest';
import { joinLogEvents } from './join-log-events.ts';

const traceId = 'a'.repeat(32);
const spanId = 'b'.repeat(16);

function traces(span: Partial<Span> = {}): TracesData {
  const whole = { traceId, spanId, name: 'chat', startTimeUnixNano: '1', endTimeUnixNano: '2', ...span };
  return { resourceSpans: [{ scopeSpans: [{ spans: [whole] }] }] };
}

function logs(...logRecords: LogRecord[]): LogsData {
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
}

function eventsOf(data: TracesData): (readonly [string, string])[] {
  const events = data.resourceSpans[0]?.scopeSpans[0]?.spans[0]?.events ?? [];
  return events.map(({ timeUnixNano, name }) => [timeUnixNano, name] as const);
}

const question: LogRecord = {
  traceId,
  spanId,
  eventName: EVENT_GEN_AI_USER_MESSAGE,
  timeUnixNano: '90',
  body: { kvlistValue: { values: [{ key: 'content', value: { stringValue: 'hi' } }] } },
};

describe('log events', () => {
  it('join their span in the order of their times, the body as attributes', () => {
    const answer = { ...question, eventName: EVENT_GEN_AI_CHOICE, timeUnixNano: '0', observedTimeUnixNano: '100' };
    const joined = joinLogEvents(traces(), logs(answer, question));
    expect(eventsOf(joined)).toEqual([
      ['90', EVENT_GEN_AI_USER_MESSAGE],
      ['100', EVENT_GEN_AI_CHOICE],
    ]);
    expect(joined.resourceSpans[0]?.scopeSpans[0]?.spans[0]?.events?.[0]?.attributes).toEqual([
      { key: 'content', value: { stringValue: 'hi' } },
    ]);
  });

  it('may be named by an attribute, as before names had a field', () => {
    const { eventName: name = '', ...unnamed } = question;
    const old = { ...unnamed, attributes: [{ key: 'event.name', value: { stringValue: name } }] };
    expect(eventsOf(joinLogEvents(traces(), logs(old)))).toEqual([['90', EVENT_GEN_AI_USER_MESSAGE]]);
  });

  it.each<[string, LogRecord]>([
    ['of another trace', { ...question, traceId: 'c'.repeat(32) }],
    ['of another span', { ...question, spanId: 'c'.repeat(16) }],
    ['of no span', { ...question, spanId: '' }],
    ['that are ordinary logs', { ...question, eventName: 'order.placed' }],
  ])('%s are left alone', (_name, record) => {
    const data = traces();
    expect(eventsOf(joinLogEvents(data, logs(record)))).toEqual([]);
  });

  it('never touch a span that holds its own payload, nor the given data', () => {
    const own = traces({ attributes: [{ key: 'reenact.schema', value: { stringValue: '1' } }] });
    expect(eventsOf(joinLogEvents(own, logs(question)))).toEqual([]);
    const foreign = traces();
    joinLogEvents(foreign, logs(question));
    expect(eventsOf(foreign)).toEqual([]);
  });
});

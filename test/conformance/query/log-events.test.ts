import type { RunningCollector } from '@reenact/collector';
import { createCollectorClient } from '@reenact/collector-client';
import type { KeyValue, LogRecord, Span } from '@reenact/otlp';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  EVENT_GEN_AI_CHOICE,
  EVENT_GEN_AI_CLIENT_INFERENCE_OPERATION_DETAILS,
  EVENT_GEN_AI_USER_MESSAGE,
} from '@reenact/semconv/gen-ai';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, textAttributes, traceIdOf } from '../testbed.ts';
import { send, sendLogs } from './run-corpus.ts';

const testbed = new Testbed();
let collector: RunningCollector;
beforeAll(async () => {
  collector = await testbed.start();
});
afterAll(() => testbed.dispose());

/** A model call of another instrumentation, which puts what was said into log events. */
function modelSpan(number: number): Span {
  return makeSpan({
    traceId: traceIdOf(number),
    spanId: spanIdOf(number),
    name: 'chat m-1',
    kind: 3,
    attributes: textAttributes({
      [ATTR_GEN_AI_OPERATION_NAME]: 'chat',
      [ATTR_GEN_AI_PROVIDER_NAME]: 'openai',
      [ATTR_GEN_AI_REQUEST_MODEL]: 'm-1',
    }),
  });
}

const ids = (number: number) => ({
  traceId: traceIdOf(number),
  spanId: spanIdOf(number),
  timeUnixNano: '1763700000000000005',
});

function details(number: number): LogRecord {
  const messages = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  return {
    ...ids(number),
    eventName: EVENT_GEN_AI_CLIENT_INFERENCE_OPERATION_DETAILS,
    attributes: textAttributes({
      [ATTR_GEN_AI_INPUT_MESSAGES]: messages('user', 'sell the zebra'),
      [ATTR_GEN_AI_OUTPUT_MESSAGES]: messages('assistant', 'sold it'),
    }),
  };
}

/** The per-message events of conventions up to 1.36; before OTLP had a field for it, the name was an attribute. */
function messageEvents(number: number): LogRecord[] {
  const event = (name: string, body: KeyValue[]): LogRecord => ({
    ...ids(number),
    attributes: textAttributes({ 'event.name': name }),
    body: { kvlistValue: { values: body } },
  });
  const said = {
    key: 'message',
    value: { kvlistValue: { values: textAttributes({ content: 'sold it', role: 'assistant' }) } },
  };
  return [
    event(EVENT_GEN_AI_USER_MESSAGE, textAttributes({ content: 'sell the zebra' })),
    event(EVENT_GEN_AI_CHOICE, [{ key: 'index', value: { intValue: '0' } }, said]),
  ];
}

async function runOf(number: number): Promise<RunSummary | undefined> {
  return (await createCollectorClient({ url: collector.httpUrl }).listRuns({ trace: traceIdOf(number) })).runs[0];
}

const cases: readonly (readonly [string, number, (number: number) => LogRecord[]])[] = [
  ['the details event', 1, (number) => [details(number)]],
  ['the older per-message events', 3, messageEvents],
];

describe.each(cases)('content in %s', (_name, first, recordsOf) => {
  it('makes of a cold case one that can be served, also where it arrives long after its span', async () => {
    await send(collector.httpUrl, [modelSpan(first)]);
    expect((await runOf(first))?.replayability.verdict).toBe('cold');
    await sendLogs(collector.httpUrl, recordsOf(first));
    expect(await runOf(first)).toMatchObject({
      replayability: { verdict: 'partial', missing: [{ cause: 'reconstructed' }] },
    });
  });

  it('is there for a span that arrives after it', async () => {
    const number = first + 1;
    await sendLogs(collector.httpUrl, recordsOf(number));
    expect(await runOf(number)).toBeUndefined();
    await send(collector.httpUrl, [modelSpan(number)]);
    expect((await runOf(number))?.replayability.verdict).toBe('partial');
  });

  it('is found by its words and shown in the tree', async () => {
    const client = createCollectorClient({ url: collector.httpUrl });
    const { runs } = await client.listRuns({ text: 'zebra sold' });
    expect(runs.map(({ traceId }) => traceId)).toContain(traceIdOf(first));
    const { crossings } = await client.getRun(spanIdOf(first));
    expect(crossings).toMatchObject([{ kind: 'model', model: 'm-1', input: expect.stringContaining('zebra') }]);
  });
});

describe('log records that say nothing of a model', () => {
  it('leave their run as it is, and a log record without spans makes no run', async () => {
    await send(collector.httpUrl, [modelSpan(50)]);
    const before = await runOf(50);
    await sendLogs(collector.httpUrl, [
      { ...ids(50), body: { stringValue: 'a line' } },
      { ...ids(51), eventName: 'x' },
    ]);
    expect(await runOf(50)).toEqual(before);
    expect(await runOf(51)).toBeUndefined();
  });
});

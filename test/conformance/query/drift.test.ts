import { createCollectorClient } from '@reenact/collector-client';
import { encodeTracesProtobuf, type Span } from '@reenact/otlp';
import { ATTR_CLOUD_REGION, ATTR_ERROR_TYPE, ATTR_VCS_REF_HEAD_REVISION } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_NAME,
  ATTR_OPENAI_RESPONSE_SYSTEM_FINGERPRINT,
} from '@reenact/semconv/gen-ai';
import { afterAll, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, textAttributes, traceIdOf } from '../testbed.ts';
import { crossingSpan, send } from './run-corpus.ts';

const testbed = new Testbed();
afterAll(() => testbed.dispose());

async function sendFrom(httpUrl: string, commit: string, spans: readonly Span[]): Promise<void> {
  const attributes = textAttributes({
    'service.name': 'shop',
    [ATTR_VCS_REF_HEAD_REVISION]: commit,
    [ATTR_CLOUD_REGION]: 'eu-1',
  });
  const data = { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: [...spans] }] }] };
  const headers = { 'content-type': 'application/x-protobuf' };
  const body = Buffer.from(encodeTracesProtobuf(data));
  expect((await fetch(`${httpUrl}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
}

function answer(number: number, said: unknown, model: string, atSecond: number, id: string): Span {
  const messages = [
    { role: 'assistant', parts: [{ type: 'tool_call', id, name: 'sell', arguments: { quantity: said } }] },
  ];
  return crossingSpan({
    trace: number,
    span: number,
    kind: 'model',
    name: 'acme.chat',
    input: [{ messages: ['sell $1,000 worth'] }],
    output: { id },
    atSecond,
    attributes: {
      [ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify(messages),
      [ATTR_GEN_AI_RESPONSE_MODEL]: model,
      [ATTR_OPENAI_RESPONSE_SYSTEM_FINGERPRINT]: `fp-${number}`,
    },
  });
}

describe('drift', () => {
  it('is equal input with different outcomes, ids left out, split by what may explain it', async () => {
    const { httpUrl } = await testbed.start();
    const client = createCollectorClient({ url: httpUrl });
    await sendFrom(httpUrl, 'c1', [answer(1, '5', 'm-1', 10, 'call-a')]);
    await sendFrom(httpUrl, 'c2', [answer(2, '5', 'm-1', 20, 'call-b')]);
    expect((await client.listDrift()).drifts).toEqual([]);
    await sendFrom(httpUrl, 'c2', [answer(3, '1000', 'm-2', 30, 'call-c')]);
    const { drifts } = await client.listDrift();
    expect(drifts).toHaveLength(1);
    expect(drifts[0]).toMatchObject({
      kind: 'model',
      name: 'acme.chat',
      crossings: 3,
      explainedBy: ['model', 'fingerprint'],
    });
    expect(drifts[0]?.outcomes).toMatchObject([
      {
        crossings: 2,
        spanId: spanIdOf(2),
        by: { model: [{ value: 'm-1', crossings: 2 }], region: [{ value: 'eu-1', crossings: 2 }] },
      },
      { crossings: 1, traceId: traceIdOf(3), by: { commit: [{ value: 'c2', crossings: 1 }] } },
    ]);
    expect((await client.listDrift({ kind: 'tool' })).drifts).toEqual([]);
    expect((await client.listDrift({ service: 'shop', name: 'acme.chat' })).drifts).toHaveLength(1);
    // Within a window in which there was one outcome, nothing drifted.
    const until = new Date((1_763_700_000 + 25) * 1000).toISOString();
    expect((await client.listDrift({ until })).drifts).toEqual([]);
    const ever = { since: '0001-01-01T00:00:00Z', until: '9999-12-31T23:59:59Z' };
    expect((await client.listDrift(ever)).drifts).toHaveLength(1);
  });

  it('does not take what a replay or a fork was served for news', async () => {
    const { httpUrl } = await testbed.start();
    const replay = { 'reenact.replay.id': 'r-1' };
    await send(httpUrl, [crossingSpan({ trace: 1, span: 1, output: 1 })]);
    await send(httpUrl, [crossingSpan({ trace: 2, span: 2, output: 2, attributes: replay })]);
    expect((await createCollectorClient({ url: httpUrl }).listDrift()).drifts).toEqual([]);
  });

  it('pages, what was seen last first', async () => {
    const { httpUrl } = await testbed.start();
    const client = createCollectorClient({ url: httpUrl });
    const spans = Array.from({ length: 10 }, (_, index) =>
      crossingSpan({ trace: index, span: index, input: [index >> 1], output: index, atSecond: index }),
    );
    for (const span of spans) await send(httpUrl, [span]);
    const inputs: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listDrift({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      inputs.push(
        ...page.drifts.map(({ outcomes }) =>
          outcomes
            .map(({ spanId }) => spanId)
            .toSorted()
            .join(' '),
        ),
      );
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(inputs).toEqual([8, 6, 4, 2, 0].map((number) => `${spanIdOf(number)} ${spanIdOf(number + 1)}`));
  });
});

describe('drift of what a model gives a tool', () => {
  it('tells ids and long numbers apart', async () => {
    const { httpUrl } = await testbed.start();
    const client = createCollectorClient({ url: httpUrl });
    // As Python writes it: in JavaScript both would be one number before they were sent.
    const longer = (span: Span, digits: string) => {
      const text = JSON.stringify(span).replace('\\"long\\"', digits);
      return JSON.parse(text) as Span;
    };
    const orders = [{ id: 17 }, { id: 18 }].map((order, index) => answer(index, order, 'm-1', index, 'call'));
    await sendFrom(httpUrl, 'c1', orders);
    expect((await client.listDrift()).drifts).toMatchObject([{ crossings: 2, outcomes: [{}, {}] }]);
    const numbers = ['9007199254740992', '9007199254740993', '9007199254740993'];
    const long = numbers.map((digits, index) => longer(answer(10 + index, 'long', 'm-1', 10 + index, 'call'), digits));
    await sendFrom(httpUrl, 'c1', long);
    expect((await client.listDrift()).drifts).toMatchObject([
      { crossings: 5, outcomes: [{ crossings: 2 }, {}, {}, {}] },
    ]);
  });
});

/** A call of a tool as another instrumentation tells it. */
const tool = (trace: number, given: string, result: Readonly<Record<string, string>>): Span => ({
  ...makeSpan({ traceId: traceIdOf(trace), spanId: spanIdOf(trace), name: 'execute_tool quote' }),
  attributes: textAttributes({
    [ATTR_GEN_AI_OPERATION_NAME]: 'execute_tool',
    [ATTR_GEN_AI_TOOL_NAME]: 'quote',
    [ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]: given,
    ...result,
  }),
  status: { code: ATTR_ERROR_TYPE in result ? 2 : 0 },
});

describe('drift of what another instrumentation recorded', () => {
  it('counts what tools of another instrumentation came back with, and that they failed', async () => {
    const { httpUrl } = await testbed.start();
    const client = createCollectorClient({ url: httpUrl });
    await sendFrom(httpUrl, 'c1', [
      tool(1, '{"symbol":"A","of":"day"}', { [ATTR_GEN_AI_TOOL_CALL_RESULT]: '{"price":7}' }),
      tool(2, '{"of":"day", "symbol":"A"}', { [ATTR_GEN_AI_TOOL_CALL_RESULT]: '{ "price": 7 }' }),
      tool(3, 'B', { [ATTR_GEN_AI_TOOL_CALL_RESULT]: 'seven' }),
    ]);
    expect((await client.listDrift()).drifts).toEqual([]);
    await sendFrom(httpUrl, 'c2', [
      tool(4, '{"symbol":"A","of":"day"}', { [ATTR_GEN_AI_TOOL_CALL_RESULT]: '{"price":8}' }),
      tool(5, '{"symbol":"A","of":"day"}', { [ATTR_ERROR_TYPE]: 'Timeout' }),
      tool(6, 'B', { [ATTR_GEN_AI_TOOL_CALL_RESULT]: 'seven' }),
    ]);
    const { drifts } = await client.listDrift({ kind: 'tool' });
    expect(drifts).toMatchObject([{ name: 'quote', crossings: 4, explainedBy: [] }]);
    expect(drifts[0]?.outcomes.map(({ crossings }) => crossings)).toEqual([2, 1, 1]);
  });

  it('tells numbers apart that a double does not', async () => {
    const { httpUrl } = await testbed.start();
    const client = createCollectorClient({ url: httpUrl });
    const result = (order: string) => ({ [ATTR_GEN_AI_TOOL_CALL_RESULT]: `{"order":${order}}` });
    await sendFrom(httpUrl, 'c1', [
      tool(1, '{"id":12345678901234567890}', result('1')),
      tool(2, '{"id":12345678901234567891}', result('2')),
      tool(3, '{"id":1}', result('22345678901234567890')),
    ]);
    expect((await client.listDrift()).drifts).toEqual([]);
    await sendFrom(httpUrl, 'c2', [tool(4, '{"id":1}', result('22345678901234567891'))]);
    expect((await client.listDrift()).drifts).toMatchObject([{ name: 'quote', crossings: 2 }]);
  });
});

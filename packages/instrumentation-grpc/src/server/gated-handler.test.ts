import * as grpc from '@grpc/grpc-js';
import { context, propagation, trace } from '@opentelemetry/api';
import { W3CBaggagePropagator } from '@opentelemetry/core';
import { type Position, positionOf, tool } from '@reenact/instrumentation';
import { TapePlayer } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logOf, patchGrpc, recordAct, withClient } from '../testdata/grpc-suite.ts';
import { type Quote, QuoteServer, type QuotesClient } from '../testdata/quote-service.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchGrpc({ inbound: true, outbound: false });
  propagation.setGlobalPropagator(new W3CBaggagePropagator());
});
afterAll(() => {
  undo();
  propagation.disable();
});

const price = tool('price', async (symbol: string): Promise<number> => symbol.length);

function get(client: QuotesClient, quote: Quote, baggage?: string): Promise<unknown> {
  const metadata = new grpc.Metadata();
  metadata.set('authorization', 'Bearer secret');
  if (baggage !== undefined) metadata.set('baggage', baggage);
  return new Promise((resolve) => {
    client.get(quote, metadata, {}, (error, value) => resolve(error === null ? value : [error.code, error.details]));
  });
}

const pricing: grpc.UntypedServiceImplementation = {
  get: ((call, callback) => {
    void price(call.request.symbol).then((shares) => callback(null, { symbol: call.request.symbol, shares }));
  }) as grpc.handleUnaryCall<Quote, Quote>,
};

type Act = (client: QuotesClient) => Promise<unknown>;
const acts: readonly (readonly [string, Act, object])[] = [
  ['one message', (client) => get(client, { symbol: 'ACME', shares: 1 }), { status: 'OK', message: { shares: 2 } }],
  [
    'an error',
    (client) => get(client, { symbol: 'ERR', shares: 1 }),
    { status: 'NOT_FOUND', details: 'no such symbol: é' },
  ],
  [
    'a stream',
    (client) => logOf(client.list({ symbol: 'ACME', shares: 2 })),
    { status: 'OK', messages: [{ shares: 0 }, { shares: 1 }] },
  ],
  [
    'a stream that breaks',
    (client) => logOf(client.list({ symbol: 'BREAK', shares: 9 })),
    { status: 'DATA_LOSS', details: 'broke', messages: [{ shares: 0 }, { shares: 1 }] },
  ],
  [
    'one message to a stream',
    (client) =>
      new Promise((resolve) => {
        const call = client.sum((error, value) => resolve([error, value]));
        call.write({ symbol: 'a', shares: 1 });
        call.end({ symbol: 'b', shares: 2 });
      }),
    { status: 'OK', message: { shares: 3 } },
  ],
  [
    'a conversation',
    (client) => {
      const call = client.chat();
      call.end({ symbol: 'b', shares: 2 });
      return logOf(call);
    },
    { status: 'OK', messages: [{ shares: 4 }] },
  ],
];

describe('an inbound call', () => {
  it.each(acts)('that is answered with %s is a run with its outcome', async (_name, act, outcome) => {
    const server = await QuoteServer.start();
    const { calls } = await recordAct(() => withClient(server.address, act));
    await server.stop();
    const { boundary, outcome: recorded, slim, spanKind } = calls.only;
    expect(boundary).toMatchObject({ kind: 'agent', name: expect.stringMatching(/^test\.Quotes\/\w+$/) });
    expect(JSON.parse(recorded.value?.payload.data ?? '')).toMatchObject(outcome);
    expect(spanKind).toBe(1);
    expect(slim).toMatchObject({ 'rpc.system.name': 'grpc', 'rpc.method': boundary.name });
  });

  it('keeps the bytes it was asked with, and no credentials', async () => {
    const server = await QuoteServer.start();
    const { calls } = await recordAct(
      () =>
        withClient(server.address, async (client) => {
          await get(client, { symbol: 'ACME', shares: 1 });
          const call = client.chat();
          call.write({ symbol: 'a', shares: 1 });
          call.end({ symbol: 'b', shares: 2 });
          return logOf(call);
        }),
      2,
    );
    await server.stop();
    const inputs = calls.facts.map(({ input }) => JSON.parse(input?.payload.data ?? '') as Record<string, unknown[]>);
    const bytes = (text: string): object => ({ base64: Buffer.from(`\xff${text}`, 'latin1').toString('base64') });
    expect(inputs.map(({ messages }) => messages)).toEqual([
      [bytes('{"symbol":"ACME","shares":1}')],
      [
        { ...bytes('{"symbol":"a","shares":1}'), afterUs: expect.any(Number) },
        { ...bytes('{"symbol":"b","shares":2}'), afterUs: expect.any(Number) },
      ],
    ]);
    expect(inputs.map(({ endedAfterUs }) => typeof endedAfterUs)).toEqual(['undefined', 'number']);
    expect(JSON.stringify(inputs)).not.toContain('secret');
  });
});

describe('the run of an inbound call', () => {
  it('is what its crossings are in, while recorded and in a replay', async () => {
    const server = await QuoteServer.start(pricing);
    const act = (): Promise<unknown> =>
      withClient(server.address, (client) => get(client, { symbol: 'ACME', shares: 1 }));
    const { recorded, calls } = await recordAct(act, 2);
    const run = calls.facts.find(({ boundary }) => boundary.kind === 'agent');
    expect(calls.facts.find(({ boundary }) => boundary.name === 'price')?.parentCrossing).toBe(run?.spanContext.spanId);
    const player = new TapePlayer(calls.crossings());
    expect(await player.during(act)).toEqual(recorded);
    expect(player.left).toEqual([]);
    expect(player.changed).toEqual([]);
    await server.stop();
  });

  it('which was not recorded is refused before its code runs', async () => {
    let runs = 0;
    const server = await QuoteServer.start({
      get: (() => {
        runs += 1;
      }) as grpc.handleUnaryCall<Quote, Quote>,
    });
    const player = new TapePlayer([]);
    const answer = await player.during(() =>
      withClient(server.address, (client) => get(client, { symbol: 'A', shares: 1 })),
    );
    expect(answer).toEqual([grpc.status.FAILED_PRECONDITION, expect.stringContaining('never recorded')]);
    expect(runs).toBe(0);
    await server.stop();
  });

  it('which the caller calls off is recorded as such', async () => {
    let called = (): void => undefined;
    const server = await QuoteServer.start({ get: (() => called()) as grpc.handleUnaryCall<Quote, Quote> });
    const { calls } = await recordAct(() =>
      withClient(server.address, (client) => {
        const call = client.get({ symbol: 'A', shares: 1 }, new grpc.Metadata(), {}, () => undefined);
        called = () => call.cancel();
        return logOf(call);
      }),
    );
    await server.stop();
    expect(calls.only.outcome.type).toBe('aborted');
  });
});

describe('a position that comes in', () => {
  it.each([
    ['signed', 'a=1,reenact.replay=replay-1.c7.signed', 'c7', 'a=1'],
    ['forged', 'reenact.replay=replay-1.c7.forged', undefined, ''],
    ['absent', 'a=1', undefined, 'a=1'],
  ])('%s', async (_name, baggage, cursor, shown) => {
    const seen: unknown[] = [];
    const server = await QuoteServer.start({
      get: ((call, callback) => {
        seen.push(
          call.metadata.get('baggage').join(),
          propagation.getBaggage(context.active())?.getEntry('reenact.replay'),
        );
        callback(null, call.request);
      }) as grpc.handleUnaryCall<Quote, Quote>,
    });
    const act = (): Promise<unknown> =>
      withClient(server.address, (client) => get(client, { symbol: 'A', shares: 1 }, baggage));
    const { calls } = await recordAct(act);
    seen.length = 0;
    const player = new TapePlayer(
      calls.crossings().map((crossing) => ({ ...crossing, ...(cursor === undefined ? {} : { parentSpanId: cursor }) })),
    );
    Object.assign(player, {
      positionOfToken: (token: string): Position | undefined =>
        token === 'replay-1.c7.signed' ? { player, cursor: 'c7' } : undefined,
    });
    await player.during(act);
    expect(player.arrivals.map(({ position }) => position?.cursor)).toEqual([cursor]);
    expect(seen).toEqual([shown, undefined]);
    expect(positionOf(context.active())).toBeUndefined();
    expect(trace.getSpan(context.active())).toBeUndefined();
    await server.stop();
  });
});

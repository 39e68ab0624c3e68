import * as grpc from '@grpc/grpc-js';
import { context } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { agent, gate, runInContext, tool } from '@reenact/instrumentation';
import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callErrorFacts, logOf, patchGrpc, recordAct, recordThenServe, withClient } from '../testdata/grpc-suite.ts';
import { type Quote, QuoteServer, type QuotesClient } from '../testdata/quote-service.ts';

let undo = (): void => undefined;
beforeAll(() => {
  undo = patchGrpc();
});
afterEach(() => gate.configure({ recorder: undefined, tracerProvider: undefined }));
afterAll(() => undo());

function shares(client: QuotesClient, quote: Quote): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    client.get(quote, new grpc.Metadata(), {}, (error, value) =>
      error === null ? resolve(value?.shares) : reject(error),
    );
  });
}

const acme = { symbol: 'ACME', shares: 1 };

it('marks an agent that waited in vain for the connection, which a replay says is ready', async () => {
  const waits = (deadlineMs: number) => (client: QuotesClient) =>
    agent(
      'waits',
      () => new Promise((resolve) => client.waitForReady(Date.now() + deadlineMs, (error) => resolve(error?.message))),
    )();
  const server = await QuoteServer.start();
  const ready = await recordAct(() => withClient(server.address, waits(5_000)), 1);
  await server.stop();
  const unready = await recordAct(() => withClient(server.address, waits(50)), 1);
  expect([ready, unready].map(({ recorded }) => recorded)).toEqual([undefined, expect.stringMatching(/connect/)]);
  const marks = [ready, unready].map(({ calls }) => calls.facts.map(({ lossy }) => lossy));
  expect(marks).toEqual([[[]], [[`/connections/dns:${server.address}, which was not ready by @grpc/grpc-js`]]]);
});

describe('a replay', () => {
  it('lets whoever waits for the connection go on, and makes none', async () => {
    const ends = await recordThenServe(async (client) => {
      await new Promise<void>((resolve, reject) => {
        client.waitForReady(Date.now() + 5_000, (error) => (error === undefined ? resolve() : reject(error)));
      });
      return shares(client, acme);
    });
    expect(ends.replayed).toBe(2);
    expect(ends.served).toBe(1);
  });

  it('runs a live tool over recorded calls, and tells of a changed message', async () => {
    const look = tool('look', async (client: QuotesClient, quote: Quote) => shares(client, quote));
    const server = await QuoteServer.start();
    const { calls } = await recordAct(() => withClient(server.address, (client) => look(client, acme)), 2);
    await server.stop();
    const player = new TapePlayer(calls.crossings());
    player.live.add('look');
    const changed = { symbol: 'ACME', shares: 1_000 };
    expect(await player.during(() => withClient(server.address, (client) => look(client, changed)))).toBe(2);
    expect(player.changed).toContain('test.Quotes/Get');
  });

  it('makes for real what its plan lets run, once, with its position', async () => {
    const server = await QuoteServer.start();
    const act = (): Promise<unknown> =>
      withClient(server.address, async (client) => [await shares(client, acme), await logOf(client.list(acme))]);
    const { recorded, calls } = await recordAct(act, 2);
    const player = new TapePlayer(calls.crossings());
    Object.assign(player, { positionToken: () => 'replay-1.c1.signed' });
    player.live.add('test.Quotes/Get').add('test.Quotes/List');
    expect(await player.during(act)).toEqual(recorded);
    const carried = ['', '', 'reenact.replay=replay-1.c1.signed', 'reenact.replay=replay-1.c1.signed'];
    expect(server.calls.map(({ baggage }) => baggage)).toEqual(carried);
    expect(player.outcomes.map(({ type }) => type)).toEqual(['returned', 'returned']);
    await server.stop();
  });

  it('refuses what was not recorded, and no call reaches the server', async () => {
    const server = await QuoteServer.start();
    const player = new TapePlayer([]);
    const [unary, stream] = await player.during(() =>
      withClient(server.address, (client) =>
        Promise.all([shares(client, acme).catch(callErrorFacts), logOf(client.chat())]),
      ),
    );
    expect(unary).toMatchObject({
      code: grpc.status.FAILED_PRECONDITION,
      details: expect.stringContaining('never recorded'),
    });
    expect(stream).toContainEqual(['error', expect.objectContaining({ code: grpc.status.FAILED_PRECONDITION })]);
    expect(player.refusals.length).toBe(2);
    expect(server.calls).toEqual([]);
    await server.stop();
  });
});

describe('metadata', () => {
  it('is compared, of one message and of a stream, but for what is another in every call', async () => {
    const server = await QuoteServer.start();
    const send = (given: Record<string, string>): Promise<unknown> =>
      withClient(server.address, async (client) => {
        const metadata = new grpc.Metadata();
        for (const [name, value] of Object.entries(given)) metadata.set(name, value);
        const chat = client.chat(metadata);
        // Only then is it a stream: one that is ended in the turn in which it began has its messages in its input.
        setImmediate(() => chat.end());
        return [await logOf(chat), await logOf(client.list(acme, metadata))];
      });
    const given = { 'x-tenant': 'one', authorization: 'before' };
    const { calls } = await recordAct(() => send(given), 2);
    const changedBy = async (change: Record<string, string>): Promise<readonly string[]> => {
      const player = new TapePlayer(calls.crossings());
      await player.during(() => send({ ...given, ...change }));
      return player.changed;
    };
    expect(await changedBy({ authorization: 'now', 'x-request-id': '7' })).toEqual([]);
    expect(await changedBy({ 'x-tenant': 'two' })).toEqual(['test.Quotes/Chat', 'test.Quotes/List']);
    expect(await changedBy({ 'x-added': 'new' })).toEqual(['test.Quotes/Chat', 'test.Quotes/List']);
    await server.stop();
  });
});

describe('a conversation that takes another course', () => {
  const talk = (words: readonly string[]) => (client: QuotesClient) => {
    const call = client.chat();
    for (const symbol of words) call.write({ symbol, shares: 1 });
    call.end();
    return logOf(call);
  };

  it.each([
    ['another message', ['a', 'x'], 'Message 2 sent on rpc:test.Quotes/Chat is not the one that was recorded'],
    ['one message more', ['a', 'b', 'c'], 'Message 3 sent on rpc:test.Quotes/Chat is one more than was recorded'],
    ['one message less', ['a'], 'was ended 1 messages earlier'],
  ])('by %s ends, and is told', async (_name, words, refusal) => {
    const server = await QuoteServer.start();
    const { calls } = await recordAct(() => withClient(server.address, talk(['a', 'b'])));
    await server.stop();
    const player = new TapePlayer(calls.crossings());
    const log = await player.during(() => withClient(server.address, talk(words)));
    expect(player.refusals).toEqual([expect.stringContaining(refusal)]);
    expect(log).toContainEqual(['status', grpc.status.FAILED_PRECONDITION, expect.any(String), {}]);
  });
});

describe('who is the crossing', () => {
  it('nobody while tracing is suppressed, and for telemetry on its way to a collector', async () => {
    const server = await QuoteServer.start();
    const calls = new RecordedCalls();
    const detach = calls.attach();
    await withClient(server.address, async (client) => {
      await runInContext(suppressTracing(context.active()), () => shares(client, acme));
      const answer = await new Promise((resolve) => {
        const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
        const same = (bytes: Buffer): Buffer => bytes;
        client.makeUnaryRequest(path, same, same, Buffer.from([]), resolve);
      });
      // It got there: this server has no such method.
      expect(answer).toMatchObject({ code: grpc.status.UNIMPLEMENTED });
    });
    detach();
    expect(server.calls.length).toBe(1);
    expect(calls.facts).toEqual([]);
    await server.stop();
  });
});

describe('everything of ours failing', () => {
  it('leaves calls as they are', async () => {
    const fail = (): never => {
      throw new TypeError('ours');
    };
    const server = await QuoteServer.start();
    const act = (): Promise<unknown> =>
      withClient(server.address, async (client) => [
        await shares(client, acme),
        await shares(client, { symbol: 'ERR', shares: 1 }).catch(callErrorFacts),
        await logOf(client.list({ symbol: 'BREAK', shares: 5 })),
      ]);
    undo();
    const bare = await act();
    undo = patchGrpc({ ignoreOutbound: fail });
    gate.configure({ recorder: { record: fail }, tracerProvider: { getTracer: fail } });
    expect(await act()).toEqual(bare);
    const manager = { active: fail, with: fail, bind: fail, enable: fail, disable: () => undefined };
    context.disable();
    context.setGlobalContextManager(manager as never);
    expect(await act()).toEqual(bare);
    context.disable();
    await server.stop();
  });

  it('is undone exactly', () => {
    const members = (): unknown[] => [
      Object.getOwnPropertyDescriptor(grpc.Channel.prototype, 'createCall'),
      Object.getOwnPropertyDescriptor(grpc.Channel.prototype, 'getConnectivityState'),
      Object.getOwnPropertyDescriptor(grpc.Server.prototype, 'register'),
      Object.getOwnPropertyDescriptor(grpc.Server.prototype, 'bindAsync'),
    ];
    undo();
    const before = members();
    const first = patchGrpc({ inbound: true });
    expect(members()).not.toEqual(before);
    const second = patchGrpc({ inbound: true });
    second();
    first();
    expect(members()).toEqual(before);
  });
});

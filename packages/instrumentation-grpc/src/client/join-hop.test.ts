import * as grpc from '@grpc/grpc-js';
import { gate } from '@reenact/instrumentation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ForeignServer } from '../testdata/foreign-server.ts';
import { callErrorFacts, logOf, patchGrpc, recordAct, withClient } from '../testdata/grpc-suite.ts';
import { HopPlayer } from '../testdata/hop-player.ts';
import { type Quote, QuoteServer, type QuotesClient, quotesClient } from '../testdata/quote-service.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchGrpc({ inbound: true });
  // The run of the server is recorded inside the call that asked it.
  gate.configure({ injectsTraceContext: () => true });
});
afterAll(() => {
  undo();
  gate.configure({ injectsTraceContext: undefined });
});

type Act = (client: QuotesClient) => Promise<unknown>;

function asked(): grpc.Metadata {
  const metadata = new grpc.Metadata();
  metadata.set('x-asked', 'secret of the caller');
  return metadata;
}

function get(client: QuotesClient, quote: Quote, options: grpc.CallOptions = {}): Promise<unknown[]> {
  return new Promise((resolve) => {
    const facts: unknown[] = [];
    const call = client.get(quote, asked(), options, (error, value) => {
      facts.push(['callback', callErrorFacts(error), value]);
    });
    void logOf(call).then((log) => resolve([...facts, ...log]));
  });
}

function sum(client: QuotesClient): Promise<unknown[]> {
  return new Promise((resolve) => {
    const call = client.sum((error, value) => resolve([callErrorFacts(error), value]));
    for (const shares of [1, 2, 3]) call.write({ symbol: 'a', shares });
    call.end({ symbol: 'b', shares: 4 });
  });
}

async function converse(client: QuotesClient): Promise<unknown[]> {
  const call = client.chat();
  const log = logOf(call);
  let left = 3;
  call.on('data', () => {
    left -= 1;
    if (left > 0) call.write({ symbol: 'again', shares: left });
    else call.end();
  });
  call.write({ symbol: 'first', shares: 7 });
  return log;
}

const acts: readonly (readonly [string, Act])[] = [
  ['one message for one', (client) => get(client, { symbol: 'ACME', shares: 1 })],
  ['an error with details and trailers', (client) => get(client, { symbol: 'ERR', shares: 1 })],
  ['a stream of answers', (client) => logOf(client.list({ symbol: 'ACME', shares: 4 }, asked()))],
  ['a stream that breaks', (client) => logOf(client.list({ symbol: 'BREAK', shares: 9 }, asked()))],
  ['a stream of messages', sum],
  ['a conversation', converse],
  ['calls in parallel', (client) => Promise.all([5, 4, 3].map((shares) => get(client, { symbol: 'P', shares })))],
];

/** Records `act` against a server, whose runs are recorded inside the calls. */
async function recorded(server: QuoteServer, act: Act): Promise<{ first: unknown; player: HopPlayer }> {
  const { recorded: first, calls } = await recordAct(() => withClient(server.address, act));
  const count = calls.facts.filter(({ boundary }) => boundary.kind === 'rpc').length;
  await calls.settled(count * 2);
  const crossings = calls.crossings().map((crossing, index) => {
    const around = calls.facts[index]?.parentSpanContext?.spanId;
    return crossing.kind === 'agent' && around !== undefined ? { ...crossing, parentSpanId: around } : crossing;
  });
  return { first, player: new HopPlayer(crossings) };
}

describe('a call to a server that takes part', () => {
  it.each(acts)('runs it again: %s', async (_name, act) => {
    const server = await QuoteServer.start();
    const { first, player } = await recorded(server, act);
    const before = server.calls.length;
    const again = await player.during(() => withClient(server.address, act));
    await server.stop();
    expect(again).toEqual(first);
    expect(player.left).toEqual([]);
    expect([player.unjoined, player.refusals, player.changed]).toEqual([[], [], []]);
    expect(server.calls.length).toBe(before * 2);
    expect(player.asked.length).toBe(before);
  });

  it('where its interceptors let nobody in without a secret, and it has no handlers yet', async () => {
    const server = new grpc.Server({
      interceptors: [
        (_method, call) =>
          new grpc.ServerInterceptingCall(call, {
            start: (next) => next({ onReceiveMetadata: () => call.sendStatus({ code: 16, details: 'who are you?' }) }),
          }),
      ],
    });
    const port = await new Promise<number>((resolve) => {
      server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (_error, bound) => resolve(bound));
    });
    const answering = await QuoteServer.start();
    const { player } = await recorded(answering, (client) => get(client, { symbol: 'ACME', shares: 1 }));
    await answering.stop();
    await player.during(() => withClient(`127.0.0.1:${port}`, (client) => get(client, { symbol: 'ACME', shares: 1 })));
    server.forceShutdown();
    expect([player.asked.length, player.unjoined]).toEqual([1, []]);
  });
});

describe('a call to a server that takes no part', () => {
  it.each(['unimplemented', 'forges'] as const)('is served, and it learns nothing: %s', async (answer) => {
    for (const [name, act] of acts) {
      const server = await QuoteServer.start();
      const { first, player } = await recorded(server, act);
      await server.stop();
      const foreign = await ForeignServer.start(answer);
      const again = await player.during(() => withClient(foreign.address, act));
      await foreign.stop();
      expect(again, name).toEqual(first);
      expect(player.unjoined.length, name).toBe(foreign.calls.length);
      expect(player.unjoined[0], name).toBe(foreign.address);
      for (const { path, headers, body } of foreign.calls) {
        expect(path).toBe('/reenact.Join/Ask');
        expect(headers['reenact-join']).toMatch(/^replay-1\.[0-9a-f]+\.signed$/);
        expect(
          Object.keys(headers).filter((key) => key === 'x-asked' || key === 'baggage' || key === 'traceparent'),
        ).toEqual([]);
        expect(body).toEqual(Buffer.alloc(5));
      }
    }
  });

  it('is served where nothing listens any more', async () => {
    const act: Act = (client) => get(client, { symbol: 'ACME', shares: 1 });
    const server = await QuoteServer.start();
    const { first, player } = await recorded(server, act);
    await server.stop();
    expect(await player.during(() => withClient(server.address, act))).toEqual(first);
    expect(player.unjoined).toEqual([server.address]);
  });

  it('is served at its own deadline where nobody answers', async () => {
    const act: Act = (client) => get(client, { symbol: 'ACME', shares: 1 }, { deadline: Date.now() + 300 });
    const server = await QuoteServer.start();
    const { first, player } = await recorded(server, act);
    await server.stop();
    const foreign = await ForeignServer.start('hangs');
    expect(await player.during(() => withClient(foreign.address, act))).toEqual(first);
    expect(player.unjoined).toEqual([foreign.address]);
    await foreign.stop();
  });

  it('is over at once where the caller calls it off meanwhile', async () => {
    const server = await QuoteServer.start();
    const act: Act = (client) => get(client, { symbol: 'ACME', shares: 1 });
    const { player } = await recorded(server, act);
    await server.stop();
    const foreign = await ForeignServer.start('hangs');
    const client = quotesClient(foreign.address);
    const log = await player.during(async () => {
      const call = client.get({ symbol: 'ACME', shares: 1 }, asked(), {}, () => undefined);
      const logged = logOf(call);
      while (foreign.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
      call.cancel();
      return logged;
    });
    client.close();
    await foreign.stop();
    expect(log).toEqual([['status', grpc.status.CANCELLED, 'Cancelled on client', {}]]);
    expect(player.outcomes.map(({ type }) => type)).toEqual(['aborted']);
    expect([foreign.calls.map(({ path }) => path), player.unjoined]).toEqual([['/reenact.Join/Ask'], []]);
  });
});

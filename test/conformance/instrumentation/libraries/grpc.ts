import type { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import * as grpc from '@grpc/grpc-js';
import { tool } from '@reenact/instrumentation';
import { GrpcInstrumentation } from '@reenact/instrumentation-grpc';
import type { FidelityAct, FidelityLibrary, Peer } from '../fidelity-library.ts';
import { type Quote, quotes, startGrpcPeer } from './grpc-peer.ts';

interface QuotesClient extends grpc.Client {
  get(
    quote: Quote,
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    callback: grpc.requestCallback<Quote>,
  ): grpc.ClientUnaryCall;
  list(quote: Quote): grpc.ClientReadableStream<Quote>;
  sum(callback: grpc.requestCallback<Quote>): grpc.ClientWritableStream<Quote>;
  chat(): grpc.ClientDuplexStream<Quote, Quote>;
}

const Quotes = grpc.makeGenericClientConstructor(quotes, 'Quotes');

/** Runs an act with a client of its own. */
function withClient(
  act: (client: QuotesClient) => Promise<unknown>,
  options: grpc.ClientOptions = {},
): FidelityAct['run'] {
  return async ({ address }: Peer) => {
    const client = new Quotes(address, grpc.credentials.createInsecure(), options) as unknown as QuotesClient;
    try {
      return await act(client);
    } finally {
      client.close();
    }
  };
}

function metadataFacts(metadata: grpc.Metadata | undefined): unknown {
  if (metadata === undefined) return undefined;
  const { date: _date, ...others } = metadata.toHttp2Headers();
  return [metadata.constructor, others];
}

function errorFactsOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, code, details, metadata } = error as grpc.ServiceError;
  return { class: error.constructor, name, message, code, details, metadata: metadataFacts(metadata) };
}

/** Everything that happens to a call until its status; `act` is told how many messages have come. */
function eventsOf(call: EventEmitter, act?: (count: number) => unknown): Promise<unknown[]> {
  const log: unknown[] = [];
  let count = 0;
  return new Promise((resolve) => {
    call.on('metadata', (metadata: grpc.Metadata) => log.push(['metadata', metadataFacts(metadata)]));
    call.on('data', (message: unknown) => {
      log.push(['data', message]);
      count += 1;
      act?.(count);
    });
    call.on('end', () => log.push('end'));
    call.on('error', (error: unknown) => log.push(['error', errorFactsOf(error)]));
    call.on('status', ({ code, details, metadata }: grpc.StatusObject) => {
      log.push(['status', code, details, metadataFacts(metadata)]);
      // What comes with the status has come two turns later.
      setImmediate(() => setImmediate(() => resolve(log)));
    });
  });
}

function get(client: QuotesClient, symbol: string, options: grpc.CallOptions = {}): Promise<unknown> {
  const metadata = new grpc.Metadata();
  metadata.set('x-asked', 'me');
  return new Promise((resolve) => {
    let answer: unknown;
    const call = client.get({ symbol, shares: 1 }, metadata, options, (error, value) => {
      answer = { error: errorFactsOf(error), value };
    });
    void eventsOf(call).then((log) => resolve({ answer, log, is: call.constructor }));
  });
}

function shares(client: QuotesClient, symbol: string): Promise<number> {
  return new Promise((resolve, reject) => {
    client.get({ symbol, shares: symbol.length }, new grpc.Metadata(), {}, (error, value) =>
      error === null && value !== undefined ? resolve(value.shares) : reject(error),
    );
  });
}

const call: FidelityAct = {
  run: withClient(async (client) => ({ given: await get(client, 'ACME'), refused: await get(client, 'ERR') })),
  shows: {
    given: { answer: { error: null, value: { symbol: 'ACME', shares: 2 } } },
    refused: { answer: { error: { code: grpc.status.NOT_FOUND, details: 'no such symbol: é' } } },
  },
  crossings: ['rpc:test.Quotes/Get returned 1', 'rpc:test.Quotes/Get threw 1'],
};

const stream: FidelityAct = {
  run: withClient((client) => eventsOf(client.list({ symbol: 'ACME', shares: 4 }))),
  shows: { 1: ['data', { shares: 0 }], 4: ['data', { shares: 3 }] },
  crossings: ['rpc:test.Quotes/List returned 1'],
};

const abort: FidelityAct = {
  run: withClient(async (client) => {
    const left: unknown[] = [];
    for await (const quote of client.list({ symbol: 'ENDLESS', shares: 9 })) {
      left.push(quote);
      if (left.length === 3) break;
    }
    const cancelled = client.list({ symbol: 'ENDLESS', shares: 9 });
    return { left, cancelled: await eventsOf(cancelled, (count) => count === 3 && cancelled.cancel()) };
  }),
  shows: { left: { length: 3 }, cancelled: { 4: ['error', { code: grpc.status.CANCELLED }] } },
  crossings: ['rpc:test.Quotes/List aborted 1', 'rpc:test.Quotes/List aborted 1'],
};

const midStreamError: FidelityAct = {
  run: withClient((client) => eventsOf(client.list({ symbol: 'BREAK', shares: 4 }))),
  shows: { 2: ['data', { shares: 1 }], 3: ['error', { code: grpc.status.DATA_LOSS, details: 'broke' }] },
  crossings: ['rpc:test.Quotes/List threw 1'],
};

const retryPolicy = {
  maxAttempts: 2,
  initialBackoff: '0.01s',
  maxBackoff: '0.01s',
  backoffMultiplier: 1,
  retryableStatusCodes: ['UNAVAILABLE'],
};

const retry: FidelityAct = {
  run: withClient((client) => get(client, 'LIMITED'), {
    'grpc.service_config': JSON.stringify({ methodConfig: [{ name: [{ service: 'test.Quotes' }], retryPolicy }] }),
  }),
  shows: { answer: { error: null, value: { symbol: 'LIMITED' } } },
  crossings: ['rpc:test.Quotes/Get returned 1'],
};

const timeout: FidelityAct = {
  run: withClient(async (client) => {
    const { answer } = (await get(client, 'NEVER', { deadline: Date.now() + 100 })) as {
      answer: { error: { code: number } };
    };
    return { code: answer.error.code };
  }),
  shows: { code: grpc.status.DEADLINE_EXCEEDED },
  crossings: ['rpc:test.Quotes/Get threw 1'],
};

const reverseParallel: FidelityAct = {
  run: withClient(async (client) => {
    const finished: number[] = [];
    const one = (count: number): Promise<number> =>
      new Promise((resolve, reject) => {
        client.get({ symbol: 'HELD', shares: count }, new grpc.Metadata(), {}, (error, value) => {
          if (value === undefined) return reject(error);
          finished.push(value.shares);
          resolve(value.shares);
        });
      });
    return { answers: await Promise.all([one(1), one(2), one(3)]), finished };
  }),
  shows: { answers: [2, 3, 4], finished: [4, 3, 2] },
  crossings: ['rpc:test.Quotes/Get returned 1', 'rpc:test.Quotes/Get returned 1', 'rpc:test.Quotes/Get returned 1'],
};

const nestedTools: FidelityAct = {
  run: withClient((client) => {
    const inner = tool('inner', (symbol: string) => shares(client, symbol));
    const outer = tool('outer', async (symbol: string) => (await inner(symbol)) + (await shares(client, symbol)));
    return outer('ACME');
  }),
  shows: 10,
  crossings: [
    'tool:outer returned 0',
    'tool:inner returned 0',
    'rpc:test.Quotes/Get returned 1',
    'rpc:test.Quotes/Get returned 1',
  ],
};

const doubleIteration: FidelityAct = {
  run: withClient(async (client) => {
    const listing = client.list({ symbol: 'ACME', shares: 3 });
    const [first, again]: [unknown[], unknown[]] = [[], []];
    for await (const quote of listing) first.push(quote);
    for await (const quote of listing) again.push(quote);
    return { first, again, ended: listing.readableEnded };
  }),
  shows: { first: { length: 3 }, again: { length: 0 }, ended: true },
  crossings: ['rpc:test.Quotes/List returned 1'],
};

const tee: FidelityAct = {
  run: withClient((client) => {
    const listing = client.list({ symbol: 'ACME', shares: 3 });
    const halves = [1, 2].map(() => listing.pipe(new PassThrough({ objectMode: true })));
    return Promise.all(halves.map((half) => half.toArray()));
  }),
  shows: [{ length: 3 }, { length: 3 }],
  crossings: ['rpc:test.Quotes/List returned 1'],
};

const helpers: FidelityAct = {
  run: withClient(async (client) => {
    await new Promise<void>((resolve, reject) => {
      client.waitForReady(Date.now() + 20_000, (error) => (error ? reject(error) : resolve()));
    });
    const sum = await new Promise((resolve) => {
      const adding = client.sum((error, value) => resolve([error, value]));
      for (const count of [1, 2, 3]) adding.write({ symbol: 'ACME', shares: count });
      adding.end();
    });
    const chat = client.chat();
    chat.write({ symbol: 'start', shares: 1 });
    chat.on('data', (said: Quote) => {
      if (said.shares > 8) chat.end();
      else chat.write({ symbol: 'more', shares: said.shares });
    });
    const talked = await eventsOf(chat);
    return { sum, talked, peer: chat.getPeer().split(':')[0] };
  }),
  shows: { sum: [null, { symbol: 'sum', shares: 6 }], talked: { 4: ['data', { symbol: 're: more', shares: 16 }] } },
  crossings: ['rpc:test.Quotes/Sum returned 1', 'rpc:test.Quotes/Chat returned 1'],
};

/** Clients of `@grpc/grpc-js`. */
export const grpcFidelity: FidelityLibrary = {
  name: '`@grpc/grpc-js`',
  start: startGrpcPeer,
  patch: () => {
    const instrumentation = new GrpcInstrumentation({ inbound: false });
    instrumentation.instrumentGrpc(grpc);
    return () => instrumentation.disable();
  },
  patched: () => ['createCall', 'getConnectivityState'].map((key) => [grpc.Channel.prototype, key] as const),
  applications: {
    modules: 'grpc',
    instrumentation: ['@reenact/instrumentation-grpc', 'GrpcInstrumentation'],
    bundled: 'grpc-bundled',
  },
  cases: {
    call,
    stream,
    abort,
    'mid-stream error': midStreamError,
    '429 then success': retry,
    timeout,
    'reverse parallel': reverseParallel,
    'nested tools': nestedTools,
    'double iteration': doubleIteration,
    tee,
    helpers,
  },
};

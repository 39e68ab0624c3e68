import type { EventEmitter } from 'node:events';
import * as grpc from '@grpc/grpc-js';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import type { Crossing } from '@reenact/trace-model';
import { GrpcInstrumentation } from '../instrumentation.ts';
import type { GrpcInstrumentationConfig } from '../types.ts';
import { QuoteServer, type QuotesClient, quotesClient } from './quote-service.ts';

/** Patches grpc-js with the real gate; servers only where asked, for most tests have one. Returns how to undo it. */
export function patchGrpc(config: GrpcInstrumentationConfig = {}): () => void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const instrumentation = new GrpcInstrumentation({ inbound: false, ...config });
  instrumentation.instrumentGrpc(grpc);
  return () => {
    instrumentation.disable();
    context.disable();
  };
}

/** Records `act` and gives what it made of it. */
export async function recordAct<Result>(
  act: () => Promise<Result>,
  count = 1,
): Promise<{ readonly recorded: Result; readonly calls: RecordedCalls }> {
  const calls = new RecordedCalls();
  const detach = calls.attach();
  try {
    const recorded = await act();
    await calls.settled(count);
    return { recorded, calls };
  } finally {
    detach();
  }
}

/** What one act did when it was recorded, and what it did when it was served with the server gone. */
export interface BothEnds<Result> {
  readonly recorded: Result;
  readonly replayed: Result;
  readonly crossings: readonly Crossing[];
  readonly player: TapePlayer;
  /** How many calls the server saw. */
  readonly served: number;
}

function connected(client: QuotesClient): Promise<void> {
  return new Promise((resolve, reject) => {
    client.waitForReady(Number.POSITIVE_INFINITY, (error) => (error === undefined ? resolve() : reject(error)));
  });
}

/** Runs `act` with a client of its own, which is closed afterwards. `isConnected`: only once it has reached the server. */
export async function withClient<Result>(
  address: string,
  act: (client: QuotesClient) => Promise<Result>,
  isConnected = false,
): Promise<Result> {
  const client = quotesClient(address);
  try {
    if (isConnected) await connected(client);
    return await act(client);
  } finally {
    client.close();
  }
}

/** Records `act` against a server, stops it, and runs `act` again over what was recorded. For `isConnected` see `withClient`. */
export async function recordThenServe<Result>(
  act: (client: QuotesClient) => Promise<Result>,
  count = 1,
  isConnected = false,
): Promise<BothEnds<Result>> {
  const server = await QuoteServer.start();
  const { address } = server;
  const { recorded, calls } = await recordAct(() => withClient(address, act, isConnected), count).finally(() => server.stop());
  const crossings = calls.crossings();
  const player = new TapePlayer(crossings);
  const replayed = await player.during(() => withClient(address, act));
  return { recorded, replayed, crossings, player, served: server.calls.length };
}

function metadataFacts(metadata: grpc.Metadata): unknown {
  const { date: _date, ...others } = metadata.toHttp2Headers();
  return others;
}

/** Everything that can be looked at of an error of a call; stacks name lines and are left out. */
export function callErrorFacts(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message } = error;
  const { code, details, metadata } = error as grpc.ServiceError;
  return { name, message, code, details, metadata: metadata === undefined ? undefined : metadataFacts(metadata) };
}

/** Everything that happens to a call, in order, until its status. */
export function logOf(call: EventEmitter): Promise<unknown[]> {
  const log: unknown[] = [];
  return new Promise((resolve) => {
    call.on('metadata', (metadata: grpc.Metadata) => log.push(['metadata', metadataFacts(metadata)]));
    call.on('data', (message: unknown) => log.push(['data', message]));
    call.on('end', () => log.push('end'));
    call.on('error', (error: unknown) => log.push(['error', callErrorFacts(error)]));
    call.on('status', ({ code, details, metadata }: grpc.StatusObject) => {
      log.push(['status', code, details, metadataFacts(metadata)]);
      // What comes with the status has come two turns later.
      setImmediate(() => setImmediate(() => resolve(log)));
    });
  });
}

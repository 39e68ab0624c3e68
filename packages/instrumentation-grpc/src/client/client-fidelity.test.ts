import { Metadata, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BothEnds, callErrorFacts, logOf, patchGrpc, recordThenServe } from '../testdata/grpc-suite.ts';
import type { Quote, QuotesClient } from '../testdata/quote-service.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchGrpc();
});
afterAll(() => undo());

function expectSame(ends: BothEnds<unknown>): void {
  expect(ends.replayed).toEqual(ends.recorded);
  expect(ends.player.refusals).toEqual([]);
  expect(ends.player.changed).toEqual([]);
  expect(ends.player.left).toEqual([]);
}

function get(client: QuotesClient, quote: Quote, options: object = {}): Promise<unknown[]> {
  const metadata = new Metadata();
  metadata.set('x-asked', 'me');
  return new Promise((resolve) => {
    let answer: unknown;
    const call = client.get(quote, metadata, options, (error, value) => {
      answer = [callErrorFacts(error), value];
    });
    void logOf(call).then((log) => resolve([answer, log, typeof call.cancel, call.getPeer().split(':')[0]]));
  });
}

type Act = (client: QuotesClient) => Promise<unknown>;

const acts: readonly (readonly [string, Act, unknown])[] = [
  ['a unary call', (client) => get(client, { symbol: 'ACME', shares: 1 }), [[null, { symbol: 'ACME', shares: 2 }]]],
  [
    'an error with details and metadata',
    (client) => get(client, { symbol: 'ERR', shares: 1 }),
    [[{ code: status.NOT_FOUND, details: 'no such symbol: é', metadata: { why: 'closed', 'proof-bin': 'AP8=' } }]],
  ],
  [
    'a server stream',
    (client) => logOf(client.list({ symbol: 'ACME', shares: 4 })),
    { 1: ['data', { shares: 0 }], 5: ['status', 0], 6: 'end' },
  ],
  [
    'a server stream that breaks',
    (client) => logOf(client.list({ symbol: 'BREAK', shares: 4 })),
    { 2: ['data', { shares: 1 }], 3: ['error', { code: status.DATA_LOSS, details: 'broke' }] },
  ],
  [
    'a client stream',
    (client) =>
      new Promise((resolve) => {
        const call = client.sum((error, value) => resolve([error, value]));
        for (const shares of [1, 2, 3]) call.write({ symbol: 'ACME', shares });
        call.end();
      }),
    [null, { symbol: 'sum', shares: 6 }],
  ],
  [
    'a conversation, each message after the answer to the last',
    (client) => {
      const call = client.chat();
      call.on('data', ({ shares }: Quote) => {
        if (shares > 8) call.end();
        else call.write({ symbol: 'more', shares });
      });
      call.write({ symbol: 'start', shares: 1 });
      return logOf(call);
    },
    { 4: ['data', { symbol: 're: more', shares: 16 }], 6: 'end' },
  ],
  [
    'a server stream read slowly',
    async (client) => {
      const seen: unknown[] = [];
      for await (const quote of client.list({ symbol: 'ACME', shares: 40 })) {
        seen.push(quote);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return seen;
    },
    { length: 40 },
  ],
];

/** What is shown of a result: its members, and no others. */
function matching(shown: unknown): unknown {
  if (typeof shown !== 'object' || shown === null) return shown;
  const members = Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, matching(value)]));
  return expect.objectContaining(members);
}

describe('a call', () => {
  function expectOneCall(ends: BothEnds<unknown>, shown: unknown): void {
    expectSame(ends);
    expect(ends.recorded).toEqual(matching(shown));
    expect(ends.crossings.length).toBe(1);
    expect(ends.served).toBe(1);
    expect(ends.crossings[0]).toMatchObject({ kind: 'rpc', exchanges: [{ layer: 'grpc' }] });
  }

  it.each(acts)('%s: recorded once, served without a connection', async (_name, act, shown) => {
    expectOneCall(await recordThenServe(act), shown);
  });

  it('a deadline: recorded once, served without a connection', async () => {
    // A deadline counts from the call: on a busy machine one that had to connect first ended before the server saw it.
    const act: Act = (client) => get(client, { symbol: 'NEVER', shares: 1 }, { deadline: Date.now() + 500 });
    expectOneCall(await recordThenServe(act, 1, true), [[{ code: status.DEADLINE_EXCEEDED }]]);
  });
});

describe('what the caller calls off', () => {
  it('before the answer', async () => {
    const ends = await recordThenServe((client) => {
      const call = client.get({ symbol: 'NEVER', shares: 1 }, new Metadata(), {}, () => undefined);
      setTimeout(() => call.cancel(), 30);
      return logOf(call);
    });
    expectSame(ends);
    expect(ends.recorded).toMatchObject([['status', status.CANCELLED, 'Cancelled on client', {}]]);
    expect(ends.crossings[0]?.outcome.type).toBe('aborted');
  });

  it('in the middle of a stream', async () => {
    const ends = await recordThenServe((client) => {
      const call = client.list({ symbol: 'ACME', shares: 1_000_000 });
      call.on('data', ({ shares }: Quote) => shares === 3 && call.cancel());
      return logOf(call).then((log) => log.slice(0, 6));
    });
    expect(ends.replayed.slice(0, 5)).toEqual(ends.recorded.slice(0, 5));
    expect(ends.crossings[0]?.outcome.type).toBe('aborted');
    expect(ends.player.refusals).toEqual([]);
  });
});

describe('calls in parallel', () => {
  it('that finish in reverse get their own answers', async () => {
    const ends = await recordThenServe(async (client) => {
      const lengths = [30, 20, 10];
      return Promise.all(lengths.map(async (shares) => (await logOf(client.list({ symbol: 'P', shares }))).length));
    }, 3);
    expect(ends.player.refusals).toEqual([]);
    expectSame(ends);
    expect(ends.recorded).toEqual([33, 23, 13]);
  });
});

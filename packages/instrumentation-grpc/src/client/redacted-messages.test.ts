import { inspect } from 'node:util';
import { Metadata } from '@grpc/grpc-js';
import { leaksIn, PLANTED_SECRETS } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logOf, patchGrpc, recordThenServe } from '../testdata/grpc-suite.ts';
import type { Quote, QuotesClient } from '../testdata/quote-service.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchGrpc();
});
afterAll(() => undo());

const [planted] = PLANTED_SECRETS;
const secret = planted?.text ?? '';

function ask(client: QuotesClient): Promise<Quote | undefined> {
  return new Promise((resolve) => {
    client.get({ symbol: secret, shares: 1 }, new Metadata(), {}, (_error, value) => resolve(value));
  });
}

describe('a secret in the messages of a call', () => {
  it('goes over the wire, is in no recording, and the call is served with a token in its place', async () => {
    const { recorded, replayed, crossings, player } = await recordThenServe(ask);
    expect(recorded).toEqual({ symbol: secret, shares: 2 });
    expect(leaksIn(inspect(crossings, { depth: Infinity, maxArrayLength: null, maxStringLength: null }))).toEqual([]);
    expect(crossings[0]?.lossy).toContain('/exchanges/0/response/chunks redacted');
    expect(replayed).toMatchObject({ symbol: expect.stringContaining('[redacted:'), shares: 2 });
    expect(replayed?.symbol).toHaveLength(secret.length);
    expect([player.refusals, player.changed, player.left]).toEqual([[], [], []]);
  });

  it('is in none of a stream that the caller sends either, whose messages still match', async () => {
    const talk = async (client: QuotesClient): Promise<unknown> => {
      const chat = client.chat();
      chat.write({ symbol: secret, shares: 1 });
      // In a turn of its own: these messages are in the exchange.
      setImmediate(() => chat.end({ symbol: secret, shares: 2 }));
      return logOf(chat);
    };
    const { crossings, player } = await recordThenServe(talk);
    expect(crossings[0]?.exchanges[0]?.request.messages).toHaveLength(2);
    expect(leaksIn(inspect(crossings, { depth: Infinity, maxArrayLength: null, maxStringLength: null }))).toEqual([]);
    expect([player.refusals, player.changed, player.left]).toEqual([[], [], []]);
  });
});

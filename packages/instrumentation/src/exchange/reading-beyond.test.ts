import type { Exchange, ExchangeResponse } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { serveFetchExchange } from '../index.ts';
import { recordedFetch, servedAtOnce } from '../testdata/fetch-recording.ts';

/** An answer that gives two chunks and never ends. */
function unending(): Response {
  const chunks = ['data: 1\n\n', 'data: [DONE]\n\n'];
  const body = new ReadableStream({
    async pull(controller) {
      const chunk = chunks.shift();
      if (chunk === undefined) await new Promise(() => undefined);
      else controller.enqueue(Buffer.from(chunk));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** What becomes of an exchange whose host does this with the body, and then lets go of it. */
async function exchangeOf(act: (reader: Reader) => unknown, signal?: AbortSignal): Promise<Exchange> {
  const recording = recordedFetch('http://host/', signal === undefined ? {} : { signal }, async () => unending());
  const reader = (await recording.response).body?.getReader() as Reader;
  await act(reader);
  recording.recorder.abandon();
  return recording.exchange;
}

async function readTwice(reader: Reader): Promise<string> {
  return Buffer.concat(
    [(await reader.read()).value ?? '', (await reader.read()).value ?? ''].map(Buffer.from),
  ).toString();
}

async function readAndCancel(reader: Reader): Promise<void> {
  await readTwice(reader);
  await reader.cancel();
}

async function readAndWait(reader: Reader): Promise<void> {
  await readTwice(reader);
  void reader.read();
}

async function servedReader(exchange: Exchange, refusals: string[]): Promise<Reader> {
  const beyond = (detail: string): Error => {
    refusals.push(detail);
    return new Error('refused');
  };
  const served = await serveFetchExchange(exchange, { ...servedAtOnce, beyond });
  return served.body?.getReader() as Reader;
}

const endOf = ({ response }: Exchange) => ({ end: response?.end, reader: response?.reader });

describe('a body that was left before its end', () => {
  it.each<[string, (reader: Reader) => unknown, Partial<ExchangeResponse>]>([
    ['unread', () => undefined, { end: 'open', reader: 'satisfied' }],
    ['after what it had asked for', readTwice, { end: 'open', reader: 'satisfied' }],
    ['by cancelling', readAndCancel, { end: 'aborted', reader: 'satisfied' }],
    ['waiting for more', readAndWait, { end: 'open', reader: 'waiting' }],
  ])('%s says how its reader stood to it', async (_name, act, end) => {
    expect(endOf(await exchangeOf(act))).toEqual(end);
  });

  it('gives the same chunks again, and refuses by name whoever reads further than the recorded reader', async () => {
    const refusals: string[] = [];
    const reader = await servedReader(await exchangeOf(readTwice), refusals);
    expect(await readTwice(reader)).toBe('data: 1\n\ndata: [DONE]\n\n');
    expect(refusals).toEqual([]);
    await expect(reader.read()).rejects.toThrow('refused');
    expect(refusals).toEqual([expect.stringMatching(/more of the answer \(status 200\).* after 23 bytes/)]);
  });

  it('refuses nobody who reads ahead and calls it off', async () => {
    const refusals: string[] = [];
    const reader = await servedReader(await exchangeOf(readTwice), refusals);
    await readTwice(reader);
    const ahead = reader.read();
    await new Promise(setImmediate);
    await reader.cancel();
    expect(await ahead).toEqual({ done: true, value: undefined });
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect(refusals).toEqual([]);
  });

  it('is held where the recorded reader had waited, or nobody knows whether it had', async () => {
    const waited = await exchangeOf(readAndWait);
    const { reader: _, ...response } = waited.response as ExchangeResponse;
    for (const exchange of [waited, { ...waited, response }]) {
      const refusals: string[] = [];
      const reader = await servedReader(exchange, refusals);
      await readTwice(reader);
      let isHeld = true;
      void reader.read().finally(() => {
        isHeld = false;
      });
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
      expect([isHeld, refusals]).toEqual([true, []]);
    }
  });
});

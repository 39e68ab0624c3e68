import { once } from 'node:events';
import http2, { type ClientHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { TapePlayer } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp, recordAct } from '../testdata/http-suite.ts';

/** More than a stream takes before it is asked for it. */
const begun = 'x'.repeat(200_000);

const server = http2.createServer();
let url: string;
let undo: () => void;

beforeAll(async () => {
  undo = patchHttp();
  // Half of an answer, of which the other half never comes.
  server.on('stream', (stream) => {
    stream.on('error', () => undefined).respond({ ':status': 429 });
    stream.write(begun);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  undo();
  server.close();
});

/** Asks, and gives what is made of the answer. */
async function ask<Result>(act: (stream: ClientHttp2Stream, status: number) => Promise<Result>): Promise<Result> {
  const session = http2.connect(url);
  const stream = session.request({ ':path': '/' });
  try {
    const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
    return await act(stream, Number(headers[':status']));
  } finally {
    stream.on('error', () => undefined).close(http2.constants.NGHTTP2_CANCEL);
    session.close();
  }
}

const look = (): Promise<number> => ask(async (_stream, status) => status);
const readFirst = (): Promise<number> =>
  ask(async (stream) => {
    const [chunk] = (await once(stream, 'data')) as [Buffer];
    stream.pause();
    return chunk.byteLength;
  });
const readAll = (): Promise<number> => ask(async (stream) => (await text(stream)).length);

describe('an answer over HTTP/2 that a program left before its end', () => {
  it.each([
    ['looked at the status alone', look],
    ['read a part, and stopped', readFirst],
  ])('is given again as far to one that %s, and refused by name to one that reads all of it', async (_name, act) => {
    const { recorded, calls } = await recordAct(act);
    const crossings = calls.crossings();
    expect(crossings[0]?.exchanges[0]?.response).toMatchObject({ end: 'aborted', reader: 'satisfied' });
    const same = new TapePlayer(crossings);
    expect(await same.during(act)).toBe(recorded);
    expect(same.refusals).toEqual([]);
    const further = new TapePlayer(crossings);
    await expect(further.during(readAll)).rejects.toMatchObject({ code: 'replay-refused' });
    expect(further.refusals).toEqual([expect.stringMatching(/reads more of the answer \(status 429\)/)]);
  });

  it('is known to be waited for where it flows', async () => {
    const { calls } = await recordAct(() =>
      ask(async (stream) => {
        let bytes = 0;
        stream.on('data', (chunk: Buffer) => {
          bytes += chunk.byteLength;
        });
        while (bytes < begun.length) await new Promise(setImmediate);
      }),
    );
    const [crossing] = calls.crossings();
    expect(crossing?.exchanges[0]?.response).toMatchObject({ end: 'aborted', reader: 'waiting' });
  });
});

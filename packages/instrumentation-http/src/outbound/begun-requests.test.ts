import http from 'node:http';
import http2 from 'node:http2';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { context } from '@opentelemetry/api';
import { positionOf } from '@reenact/instrumentation';
import { TapePlayer } from '@reenact/instrumentation/testing';
import * as undici from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp, recordAct } from '../testdata/http-suite.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchHttp({}, undici);
});
afterAll(() => undo());

type Send = (url: string, body: Readable) => Promise<string>;

/** By whom the body is read: by a client within its call, or by the code that calls it. */
type Reader = 'client' | 'caller';

const wires: readonly (readonly [string, Reader, Send])[] = [
  [
    'fetch',
    'client',
    async (url, body) => {
      const response = await fetch(url, {
        method: 'POST',
        body: ReadableStream.from(body),
        duplex: 'half',
      });
      return response.text();
    },
  ],
  ['undici', 'client', async (url, body) => (await undici.request(url, { method: 'POST', body })).body.text()],
  [
    'node:http',
    'caller',
    async (url, body) =>
      new Promise((resolve, reject) => {
        const request = http.request(url, { method: 'POST' }, (response) => resolve(text(response)));
        body.pipe(request).on('error', reject);
      }),
  ],
];

async function* parts(read: () => void): AsyncGenerator<string> {
  read();
  yield 'some';
  yield 'thing';
}

describe('a request whose body is read while it is sent', () => {
  it.each(wires)('by %s is told to a replay before its body is read by the %s', async (_wire, reader, send) => {
    const server = await ScriptedServer.start((_request, response) => response.end('taken'));
    const { url } = server;
    const { recorded, calls } = await recordAct(() => send(url, Readable.from(parts(() => undefined))));
    await server.stop();
    const player = new TapePlayer(calls.crossings());
    const whenRead: unknown[] = [];
    const read = (): void =>
      void whenRead.push({ begun: [...player.begunNames], inside: positionOf(context.active())?.cursor });
    const replayed = await player.during(() => send(url, Readable.from(parts(read))));
    expect(replayed).toBe(recorded);
    const inside = reader === 'client' ? calls.crossings()[0]?.spanId : undefined;
    expect(whenRead).toEqual([{ begun: [`POST ${new URL(url).host}`], inside }]);
    expect(player.changed).toEqual([]);
  });

  it('by node:http2 is told, too', async () => {
    const player = new TapePlayer([]);
    await player.during(async () => {
      const session = http2.connect('http://127.0.0.1:9');
      const stream = session.request({ ':method': 'POST', ':path': '/' });
      expect(player.begunNames).toEqual(['POST 127.0.0.1:9']);
      const refused = new Promise((resolve) => stream.on('error', resolve));
      stream.end('whole');
      expect(await refused).toMatchObject({ code: 'replay-refused' });
      session.destroy();
    });
  });
});

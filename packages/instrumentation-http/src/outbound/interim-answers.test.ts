import { once } from 'node:events';
import http, { type InformationEvent } from 'node:http';
import { TapePlayer } from '@reenact/instrumentation/testing';
import * as undici from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BothEnds, patchHttp, recordAct, recordThenServe } from '../testdata/http-suite.ts';
import { logOf } from '../testdata/request-log.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchHttp({}, undici);
});
afterAll(() => undo());

const link = '</style.css>; rel=preload; as=style';

const hinting = (): Promise<ScriptedServer> =>
  ScriptedServer.start((_request, response) => {
    response.writeProcessing();
    response.writeEarlyHints({ link, 'x-trace': 'id: 7' }, () => setImmediate(() => response.end('styled')));
  });

function expectSame(ends: BothEnds<unknown>): void {
  expect(ends.replayed).toEqual(ends.recorded);
  expect([ends.player.refusals, ends.player.changed]).toEqual([[], []]);
  expect(ends.crossings.flatMap(({ lossy }) => lossy)).toEqual([]);
}

async function heard(request: http.ClientRequest): Promise<unknown> {
  const told: unknown[] = [];
  request.on('continue', () => told.push('continue'));
  request.on('information', ({ statusCode, statusMessage, headers, rawHeaders, httpVersion }: InformationEvent) =>
    told.push([statusCode, statusMessage, headers, rawHeaders, httpVersion]),
  );
  return [await logOf(request), told];
}

describe('what a server says before its answer', () => {
  it('comes again from the recording, in its order, with its headers', async () => {
    const ends = await recordThenServe(await hinting(), (url) => heard(http.get(url)));
    expectSame(ends);
    const raw = ['Link', link, 'x-trace', 'id: 7'];
    const headers = { link, 'x-trace': 'id: 7' };
    expect(ends.recorded).toMatchObject([
      expect.anything(),
      [
        [102, 'Processing', {}, [], '1.1'],
        [103, 'Early Hints', headers, raw, '1.1'],
      ],
    ]);
  });

  it('comes before a connection that fails', async () => {
    const server = await ScriptedServer.raw((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', () => setImmediate(() => socket.destroy()));
    });
    const ends = await recordThenServe(server, (url) => heard(http.get(url)));
    expectSame(ends);
    expect(ends.recorded).toMatchObject([
      expect.anything(),
      [[103, 'Early Hints', { link: '</a>' }, ['link', '</a>'], '1.1']],
    ]);
  });

  it('comes once where the client asked for it', async () => {
    const server = await ScriptedServer.start((_request, response) => void response.end('went on'));
    const ends = await recordThenServe(server, async (url) => {
      const request = http.request(url, { method: 'POST', headers: { expect: '100-continue' } });
      const said = heard(request);
      await once(request, 'continue');
      request.end('the rest');
      return said;
    });
    expectSame(ends);
    expect(ends.recorded).toMatchObject([expect.anything(), ['continue', [100, 'Continue', {}, [], '1.1']]]);
  });
});

describe('an answer before the answer', () => {
  it('comes again to requests of undici', async () => {
    const ends = await recordThenServe(await hinting(), async (url) => {
      const told: unknown[] = [];
      const { body } = await undici.request(url, { onInfo: (info) => void told.push(info) });
      return [await body.text(), told];
    });
    expectSame(ends);
    expect(ends.recorded).toMatchObject([
      'styled',
      [{ statusCode: 102 }, { statusCode: 103, headers: { link, 'x-trace': 'id: 7' } }],
    ]);
  });

  it('comes from the server where a replay sends the request for real', async () => {
    const server = await hinting();
    const act = (): Promise<unknown> => heard(http.get(server.url));
    const { recorded, calls } = await recordAct(act);
    const player = new TapePlayer(calls.crossings());
    player.live.add(`GET 127.0.0.1:${server.port}`);
    const [, told] = (await player.during(act)) as unknown[];
    expect(told).toEqual((recorded as unknown[])[1]);
    expect([server.requests.length, told]).toEqual([2, expect.objectContaining({ length: 2 })]);
    await server.stop();
  });

  it('is recorded without its secrets', async () => {
    const secret = `ghp_${'aB3dE6gH9jK2mN5pQ8'.repeat(2)}`;
    const server = await ScriptedServer.start((_request, response) => {
      response.writeEarlyHints({ link, 'x-hint': `use ${secret}` }, () => response.end());
    });
    const { calls } = await recordAct(() => logOf(http.get(server.url)));
    const [exchange] = calls.only.exchanges;
    expect(exchange?.interim?.[0]?.headers).toMatchObject([
      ['Link', link],
      ['x-hint', expect.stringMatching(/^use /)],
    ]);
    expect(JSON.stringify(exchange)).not.toContain(secret);
    await server.stop();
  });
});

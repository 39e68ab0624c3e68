import http from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BothEnds, patchHttp, recordThenServe } from '../testdata/http-suite.ts';
import { logOf } from '../testdata/request-log.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchHttp();
});
afterAll(() => undo());

function expectSame(ends: BothEnds<unknown>): void {
  expect(ends.replayed).toEqual(ends.recorded);
  expect(ends.player.refusals).toEqual([]);
  expect(ends.player.changed).toEqual([]);
}

const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n';

function errorWith(code: string): unknown {
  return ['error', expect.objectContaining({ class: 'Error', code })];
}

describe('a connection that fails before there is a response', () => {
  it('refused, with the address and the system call', async () => {
    const server = await ScriptedServer.start(() => undefined);
    const { url } = server;
    await server.stop();
    const ends = await recordThenServe(await ScriptedServer.start(() => undefined), () => logOf(http.get(url)));
    expectSame(ends);
    expect(ends.recorded).toContainEqual(errorWith('ECONNREFUSED'));
    expect(ends.calls.only.outcome.type).toBe('threw');
  });

  it('refused on every address of a name, as one error of several', async () => {
    const server = await ScriptedServer.start(() => undefined);
    const { port } = server;
    await server.stop();
    const ends = await recordThenServe(await ScriptedServer.start(() => undefined), () =>
      logOf(http.get(`http://localhost:${port}`, { autoSelectFamily: true } as http.RequestOptions)),
    );
    expectSame(ends);
  });

  it('a name that does not exist', async () => {
    const ends = await recordThenServe(await ScriptedServer.start(() => undefined), () =>
      logOf(http.get('http://no-such-host.invalid/')),
    );
    expectSame(ends);
    expect(ends.calls.only.outcome.type).toBe('threw');
  });

  it('hung up', async () => {
    const ends = await recordThenServe(await ScriptedServer.raw((socket) => socket.end()), (url) =>
      logOf(http.get(url)),
    );
    expectSame(ends);
    expect(ends.recorded).toContainEqual(errorWith('ECONNRESET'));
  });

  it('reset', async () => {
    const server = await ScriptedServer.raw((socket) => socket.resetAndDestroy());
    expectSame(await recordThenServe(server, (url) => logOf(http.get(url))));
  });

  it('answered with something that is not HTTP', async () => {
    const server = await ScriptedServer.raw((socket) => socket.end('nonsense\r\n\r\n'));
    const ends = await recordThenServe(server, (url) => logOf(http.get(url)));
    expect(ends.recorded).toContainEqual(errorWith('HPE_INVALID_CONSTANT'));
    expectSame(ends);
  });
});

describe('a connection that fails in the middle of the body', () => {
  const cuts: readonly (readonly [string, (socket: Socket) => void])[] = [
    ['closed', (socket) => socket.end(`${head}half`)],
    ['reset', (socket) => socket.write(`${head}half`, () => setImmediate(() => socket.resetAndDestroy()))],
  ];
  it.each(cuts)('%s: the half that came, then the same error', async (_name, cut) => {
    const ends = await recordThenServe(await ScriptedServer.raw(cut), (url) => logOf(http.get(url)));
    expectSame(ends);
    expect(ends.recorded).toContainEqual(['response data', 'half']);
    expect(ends.recorded).toContainEqual(['response error', expect.objectContaining({ code: 'ECONNRESET' })]);
    expect(ends.calls.only).toMatchObject({ outcome: { type: 'failed' }, call: 'exchange' });
  });
});

/** A server that answers with these bytes and then keeps the connection open. */
function silentAfter(bytes: string): Promise<ScriptedServer> {
  return ScriptedServer.raw((socket) => void (bytes !== '' && socket.write(bytes)));
}

describe('a request the host calls off', () => {
  it('before there is a response, by its signal', async () => {
    const server = await silentAfter('');
    const ends = await recordThenServe(server, (url) => {
      const controller = new AbortController();
      const request = http.get(url, { signal: controller.signal });
      request.on('finish', () => setImmediate(() => controller.abort()));
      return logOf(request);
    });
    expectSame(ends);
    expect(ends.calls.only.outcome.type).toBe('aborted');
  });

  it('in the middle of the body, by destroying the response', async () => {
    const ends = await recordThenServe(await silentAfter(`${head}half`), (url) =>
      logOf(http.get(url), (response) => response.once('data', () => response.destroy())),
    );
    expectSame(ends);
    expect(ends.calls.only.outcome.type).toBe('aborted');
    expect(ends.crossings[0]?.exchanges[0]?.response?.end).toBe('aborted');
  });

  it('after its time limit, with an error of its own', async () => {
    const ends = await recordThenServe(await silentAfter(''), (url) => {
      const request = http.get(url, { timeout: 20 });
      request.on('timeout', () => request.destroy(new RangeError('took too long')));
      return logOf(request);
    });
    expectSame(ends);
    expect(ends.recorded).toContainEqual(['error', expect.objectContaining({ class: 'RangeError' })]);
  });

  it('before it was sent', async () => {
    const ends = await recordThenServe(await silentAfter(''), (url) => {
      const request = http.request(url, { method: 'POST' });
      const log = logOf(request);
      request.write('part of it');
      request.destroy();
      return log;
    });
    expectSame(ends);
    expect(ends.player.left).toEqual([]);
  });
});

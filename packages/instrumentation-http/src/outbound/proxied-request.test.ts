import http, { Agent, type ClientRequestArgs, createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp, recordAct, recordThenServe } from '../testdata/http-suite.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

type Connected = (error: Error | null, stream: Duplex) => void;

let undo: () => void;
let proxy: http.Server;
let proxyPort: number;
let tunnels = 0;
beforeAll(async () => {
  undo = patchHttp();
  proxy = createServer().on('connect', ({ url }, near: Socket) => {
    tunnels += 1;
    const far = connect(Number(url?.split(':')[1]), '127.0.0.1', () => near.write('HTTP/1.1 200 OK\r\n\r\n'));
    far.pipe(near).pipe(far);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  proxyPort = (proxy.address() as AddressInfo).port;
});
afterAll(() => {
  undo();
  proxy.close();
});

function tunnel(options: ClientRequestArgs, connected: Connected): void {
  const path = `${options.host}:${options.port}`;
  http
    .request({ host: '127.0.0.1', port: proxyPort, method: 'CONNECT', path })
    .on('connect', (_, socket) => connected(null, socket))
    .end();
}

/** Asks a proxy for each connection, as those of hpagent and tunnel do. */
class TunnelingAgent extends Agent {
  override createConnection(options: ClientRequestArgs, connected?: Connected): null {
    if (connected !== undefined) tunnel(options, connected);
    return null;
  }
}

function textOf(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = http.get(url, { agent }, async (response) => resolve(String((await response.toArray()).join(''))));
    sent.on('error', reject);
  });
}

describe('a request whose agent asks a proxy for its connection', () => {
  it('is a crossing, and what asks the proxy is none: a replay does not miss it', async () => {
    const server = await ScriptedServer.start((_, response) => void response.end('hello'));
    const ends = await recordThenServe(server, async (url) => textOf(url, new TunnelingAgent()));
    expect([ends.recorded, ends.replayed, tunnels]).toEqual(['hello', 'hello', 1]);
    expect(ends.crossings.map(({ name, lossy }) => [name, lossy])).toEqual([[`GET 127.0.0.1:${server.port}`, []]]);
    expect([ends.player.left, ends.player.refusals]).toEqual([[], []]);
  });

  it('leaves a tunnel that the application asks for itself a crossing', async () => {
    const server = await ScriptedServer.start((_, response) => void response.end());
    const { port, hostname: host } = new URL(server.url);
    const { calls } = await recordAct(async () => {
      const socket = await new Promise<Duplex>((resolve) => tunnel({ host, port }, (_, made) => resolve(made)));
      socket.destroy();
    });
    await server.stop();
    expect(calls.crossings().map(({ name }) => name)).toEqual([`CONNECT 127.0.0.1:${proxyPort}`]);
  });
});

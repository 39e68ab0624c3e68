import { createHash } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, Agent as HttpAgent } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { runInThisContext } from 'node:vm';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { suppressTracing } from '@opentelemetry/core';
import { Cluster, Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gate } from '../admission/current-gate.ts';
import { agent, boundary, tool } from '../boundary/boundaries.ts';
import { pgClient } from '../clients/pg/pg-client.ts';
import { ioredisClient } from '../clients/redis/ioredis-client.ts';
import type { CrossingFacts } from '../gate/crossing-facts.ts';
import { CONNECTIONS_MAX } from '../limits.ts';
import { installConnectionWatch } from './install-connection-watch.ts';

const recorded: CrossingFacts[] = [];
let server: Server;
let port: number;
let uninstall = (): void => undefined;

/** Of a server of HTTP, and of WebSockets that end once they are open (RFC 6455, section 4.2.2). */
function answerTo(request: string): string {
  const key = /^sec-websocket-key: (.+)\r$/im.exec(request)?.[1];
  if (key === undefined) return 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';
  const accepted = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  return `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accepted}\r\n\r\n`;
}

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  gate.configure({ recorder: { record: (facts) => recorded.push(facts) } });
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => socket.end(answerTo(String(data))));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterAll(() => {
  server.close();
  gate.configure({ recorder: undefined });
  context.disable();
});

beforeEach(() => {
  recorded.length = 0;
  uninstall = installConnectionWatch();
});

afterEach(() => uninstall());

/** What the recording says of an agent that does this. */
async function marksOf(work: () => unknown): Promise<readonly string[]> {
  await agent('outer', async () => {
    await work();
  })();
  return recorded.find(({ boundary }) => boundary.name === 'outer')?.lossy ?? [];
}

async function closed(socket: Socket): Promise<void> {
  socket.resume().end('hello');
  await once(socket, 'close');
}

function driver(name: string): () => Promise<void> {
  return driverAt(join('/app/node_modules', name, 'connection.js'));
}

type Open = (socketClass: typeof Socket, port: number) => Socket;

const OPENING = '(Socket, port) => new Socket().connect(port, "127.0.0.1")';

/** Code whose frames have this path. */
function codeAt<Code>(text: string, filename: string): Code {
  return runInThisContext(text, { filename }) as Code;
}

/** A driver that connects, by the path that its frames have. */
function driverAt(filename: string): () => Promise<void> {
  const open = codeAt<Open>(OPENING, filename);
  return () => closed(open(Socket, port));
}

/** A driver that another package asks to connect. */
function driverAskedBy(asking: string, name: string): () => Promise<void> {
  const open = codeAt<Open>(OPENING, join('/app/node_modules', name, 'connection.js'));
  const ask = codeAt<(open: Open) => Open>(
    '(open) => (...given) => open(...given)',
    join('/app/node_modules', asking, 'index.js'),
  );
  return () => closed(ask(open)(Socket, port));
}

describe('a connection that an agent opens itself', () => {
  it('is named, whichever way it is opened', async () => {
    expect(await marksOf(() => closed(connect(port, '127.0.0.1')))).toEqual([`/connections/127.0.0.1:${port}`]);
    recorded.length = 0;
    expect(await marksOf(() => closed(new Socket().connect({ port, host: '127.0.0.1' })))).toEqual([
      `/connections/127.0.0.1:${port}`,
    ]);
    recorded.length = 0;
    const path = '/no/such/socket';
    const refused = marksOf(() => closed(connect(path)).catch(() => undefined));
    expect(await refused).toEqual([`/connections/${path}`]);
  });

  it('is named once for each place, and not without end', async () => {
    const opened = async (): Promise<void> => {
      for (let index = 0; index < CONNECTIONS_MAX + 3; index += 1) {
        connect(`/no/such/socket-${index}`).on('error', () => undefined);
        connect(`/no/such/socket-${index}`).on('error', () => undefined);
      }
    };
    const marks = await marksOf(opened);
    expect(marks).toHaveLength(CONNECTIONS_MAX + 1);
    expect(marks.at(-1)).toBe(`/connections/more than ${CONNECTIONS_MAX} places`);
  });

  it('is named where it becomes a WebSocket', async () => {
    const marks = await marksOf(async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}`);
      await new Promise((resolve) => socket.addEventListener('close', resolve));
    });
    expect(marks).toEqual([`/connections/127.0.0.1:${port}`]);
    // Whoever listens there has taken it on to tell servers the trace context.
    expect(channel('undici:request:create').hasSubscribers).toBe(false);
  });

  it('works as it does without the watch, down to what it throws', () => {
    uninstall();
    const thrown = (): unknown => {
      try {
        return connect({ port: 70_000 });
      } catch (error) {
        return error;
      }
    };
    const without = thrown() as Error;
    const { name, length } = Socket.prototype.connect;
    uninstall = installConnectionWatch();
    expect(thrown()).toEqual(without);
    const { connect: watched } = Socket.prototype;
    expect([watched.name, watched.length]).toEqual([name, length]);
  });
});

describe('no connection is named', () => {
  it('of HTTP, which is recorded as requests', async () => {
    const marks = await marksOf(async () => {
      await (await fetch(`http://127.0.0.1:${port}`)).text();
      const [answer] = await once(get({ port, host: '127.0.0.1', agent: new HttpAgent() }), 'response');
      answer.resume();
      const session = connectHttp2(`http://127.0.0.1:${port}`).on('error', () => undefined);
      await new Promise((resolve) => session.on('close', resolve));
    });
    expect(marks).toEqual([]);
  });

  it('of an agent of HTTP that connects in a promise of its own, to a proxy', async () => {
    expect(await marksOf(driverAskedBy('agent-base', 'https-proxy-agent'))).toEqual([]);
    expect(await marksOf(driverAskedBy('socks-proxy-agent', 'socks'))).toEqual([]);
    recorded.length = 0;
    expect(await marksOf(driver('socks'))).toEqual([`/connections/127.0.0.1:${port} by socks`]);
  });

  it('inside of a tool, whose outcome is served', async () => {
    const look = tool('look', () => closed(connect(port, '127.0.0.1')));
    expect(await marksOf(() => look())).toEqual([]);
    expect(recorded.flatMap(({ lossy }) => lossy)).toEqual([]);
  });

  it('of the pipe by which tsx tells its parent that it has started, but of others beside it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tsx-'));
    const pipes = ['4711.pipe', 'docker.sock'].map((name) => join(folder, name));
    const listening = pipes.map((path) => createServer((socket) => socket.end()).listen(path));
    await Promise.all(listening.map((each) => once(each, 'listening')));
    const marks = await marksOf(() => Promise.all(pipes.map((path) => closed(connect(path)))));
    expect(marks).toEqual([expect.stringContaining('docker.sock')]);
    expect(marks.join()).not.toContain('4711.pipe');
    for (const each of listening) each.close();
    rmSync(folder, { recursive: true });
  });

  it('of an exporter, which suppresses tracing', async () => {
    const quietly = (): Promise<void> => closed(connect(port, '127.0.0.1'));
    expect(await marksOf(() => context.with(suppressTracing(context.active()), quietly))).toEqual([]);
  });

  it('once the watch is taken away, and the platform is as it was', async () => {
    const watched = Socket.prototype.connect;
    uninstall();
    expect(Socket.prototype.connect).not.toBe(watched);
    expect(await marksOf(() => closed(connect(port, '127.0.0.1')))).toEqual([]);
  });
});

describe('a driver', () => {
  it('is named with what it connects to', async () => {
    expect(await marksOf(driver('a-driver'))).toEqual([`/connections/127.0.0.1:${port} by a-driver`]);
  });

  it('is named where it is an undici before those that are recorded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reenact-undici-'));
    const install = (version: string): string => {
      const copy = join(folder, version, 'node_modules/undici');
      mkdirSync(copy, { recursive: true });
      writeFileSync(join(copy, 'package.json'), JSON.stringify({ name: 'undici', version }));
      return copy;
    };
    const older = await marksOf(driverAt(join(install('5.29.0'), 'lib/core/connect.js')));
    expect(older).toEqual([`/connections/127.0.0.1:${port} by undici`]);
    recorded.length = 0;
    expect(await marksOf(driverAt(join(install('7.0.0'), 'lib/core/connect.js')))).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it('is behind the tracer that stands between', async () => {
    const proceed = runInThisContext('(original) => function () { return original.apply(this, arguments); }', {
      filename: '/app/node_modules/@opentelemetry/instrumentation-net/build/index.js',
    }) as (original: unknown) => typeof Socket.prototype.connect;
    const watched = Socket.prototype.connect;
    Socket.prototype.connect = proceed(watched);
    const marks = await marksOf(driver('a-driver'));
    Socket.prototype.connect = watched;
    expect(marks).toEqual([`/connections/127.0.0.1:${port} by a-driver`]);
  });
});

describe('a driver with a wrapped client', () => {
  it('is named of a client that nobody wrapped, or after it has connected, whatever else is wrapped: a replay connects again', async () => {
    const connectAndWrap = async (): Promise<void> => {
      await driver('pg')();
      pgClient({ query: async () => ({ rows: [] }) });
      await driver('pg')();
    };
    expect(await marksOf(connectAndWrap)).toEqual([`/connections/127.0.0.1:${port} by pg`]);
  });

  it('is not named where a wrapped class or what is no crossing of a client connects, also later, but an agent inside is', async () => {
    class Client {
      readonly connected = this.pulse('pg', () => undefined);
      async pulse(name: string, then: () => unknown): Promise<void> {
        await setImmediate();
        await driver(name)();
        await then();
      }
    }
    const Wrapped = boundary.client(Client, { kind: 'database', methods: { pulse: { as: 'aside' } } });
    const inner = agent('inner', driver('a-driver'));
    const work = async (): Promise<void> => {
      const client = new Wrapped();
      await client.connected;
      await client.pulse('pg', inner);
    };
    expect(await marksOf(work)).toEqual([]);
    const ofInner = recorded.find(({ boundary: { name } }) => name === 'inner');
    expect(ofInner?.lossy).toEqual([`/connections/127.0.0.1:${port} by a-driver`]);
  });

  it('is not named of a client of ioredis that is wrapped before it connects by itself, and is of another one', async () => {
    const closing = (): Server => createServer((socket) => socket.on('error', () => undefined).end());
    const servers = [closing().listen(0, '127.0.0.1'), closing().listen(0, '127.0.0.1')];
    await Promise.all(servers.map((one) => once(one, 'listening')));
    const [first, second] = servers.map((one) => (one.address() as AddressInfo).port) as [number, number];
    const ended: Promise<unknown>[] = [];
    const redis = (to: number): Redis => {
      const client = new Redis(to, '127.0.0.1', { retryStrategy: () => null });
      client.on('error', () => undefined);
      ended.push(once(client, 'end'));
      return client;
    };
    const work = async (): Promise<void> => {
      ioredisClient(redis(first));
      redis(second);
      await Promise.all(ended);
    };
    expect(await marksOf(work)).toEqual([`/connections/127.0.0.1:${second} by ioredis`]);
    for (const one of servers) one.close();
  });
});

describe('a wrapped cluster of ioredis', () => {
  it('is not named by the connections to its nodes, and another client beside it is', async () => {
    const closing = (): Server => createServer((socket) => socket.on('error', () => undefined).end());
    const servers = [closing().listen(0, '127.0.0.1'), closing().listen(0, '127.0.0.1')];
    await Promise.all(servers.map((one) => once(one, 'listening')));
    const [node, other] = servers.map((one) => (one.address() as AddressInfo).port) as [number, number];
    const work = async (): Promise<void> => {
      const cluster = ioredisClient(
        new Cluster([{ host: '127.0.0.1', port: node }], { clusterRetryStrategy: () => null }),
      );
      const client = new Redis(other, '127.0.0.1', { retryStrategy: () => null });
      const ends = [cluster, client].map((one) => {
        one.on('error', () => undefined);
        return new Promise((resolve) => one.once('end', resolve));
      });
      await Promise.all(ends);
    };
    expect(await marksOf(work)).toEqual([`/connections/127.0.0.1:${other} by ioredis`]);
    for (const one of servers) one.close();
  });
});

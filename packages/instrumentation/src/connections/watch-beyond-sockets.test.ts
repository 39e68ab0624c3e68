import { exec, execFile, execFileSync, execSync, spawn, spawnSync } from 'node:child_process';
import { createSocket, Socket as DatagramSocket } from 'node:dgram';
import dns, { lookup, promises, Resolver } from 'node:dns';
import { lookup as lookupByName } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { promisify } from 'node:util';
import { runInThisContext } from 'node:vm';
import threads, { Worker } from 'node:worker_threads';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { suppressTracing } from '@opentelemetry/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gate } from '../admission/current-gate.ts';
import { agent, tool } from '../boundary/boundaries.ts';
import type { CrossingFacts } from '../gate/crossing-facts.ts';
import { CONNECTIONS_MAX } from '../limits.ts';
import { installConnectionWatch } from './install-connection-watch.ts';

const recorded: CrossingFacts[] = [];
let uninstall = (): void => undefined;
let receiver: DatagramSocket;
let place: string;

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  gate.configure({ recorder: { record: (facts) => recorded.push(facts) } });
  receiver = createSocket('udp4').bind(0, '127.0.0.1');
  await once(receiver, 'listening');
  place = `127.0.0.1:${receiver.address().port}`;
});

afterAll(() => {
  receiver.close();
  gate.configure({ recorder: undefined });
  context.disable();
});

beforeEach(() => {
  recorded.length = 0;
  uninstall = installConnectionWatch();
});

afterEach(() => uninstall());

async function marksOf(work: () => unknown): Promise<readonly string[]> {
  await agent('outer', async () => {
    await work();
  })();
  return recorded.find(({ boundary }) => boundary.name === 'outer')?.lossy ?? [];
}

async function sent(socket: DatagramSocket, ...given: unknown[]): Promise<void> {
  const heard = once(receiver, 'message');
  Reflect.apply(socket.send, socket, ['hello', ...given]);
  const [data] = await heard;
  expect(String(data)).toBe('hello');
  socket.close();
}

/** Asks a port where nobody answers. */
function failingResolver(): Resolver {
  const resolver = new Resolver({ timeout: 50, tries: 1 });
  resolver.setServers(['127.0.0.1:9']);
  return resolver;
}

describe('a datagram that an agent sends', () => {
  it('is named by where it goes, connected or not', async () => {
    const { port } = receiver.address();
    expect(await marksOf(() => sent(createSocket('udp4'), port, '127.0.0.1'))).toEqual([`/connections/udp ${place}`]);
    recorded.length = 0;
    expect(await marksOf(() => sent(createSocket('udp4'), port))).toEqual([`/connections/udp ${place}`]);
    recorded.length = 0;
    const connected = async (): Promise<void> => {
      const socket = createSocket('udp4');
      socket.connect(port);
      await once(socket, 'connect');
      await sent(socket);
    };
    expect(await marksOf(connected)).toEqual([`/connections/udp ${place}`]);
  });

  it('is named with the package that sends it, once for each place and not without end', async () => {
    const send = runInThisContext('(socket, port) => socket.send("hello", port, "127.0.0.1")', {
      filename: '/app/node_modules/a-meter/send.js',
    }) as (socket: DatagramSocket, port: number) => void;
    const socket = createSocket('udp4').unref();
    const marks = await marksOf(() => {
      for (let index = 0; index < 100; index += 1) send(socket, 20_000);
      for (let index = 0; index < CONNECTIONS_MAX + 3; index += 1) send(socket, 20_000 + index);
    });
    socket.close();
    expect(marks[0]).toBe('/connections/udp 127.0.0.1:20000 by a-meter');
    expect(marks).toHaveLength(CONNECTIONS_MAX + 1);
  });

  it('is not named inside of a tool, of an exporter, and once the watch is taken away', async () => {
    const { port } = receiver.address();
    const send = (): Promise<void> => sent(createSocket('udp4'), port);
    expect(await marksOf(() => tool('count', send)())).toEqual([]);
    recorded.length = 0;
    expect(await marksOf(() => context.with(suppressTracing(context.active()), send))).toEqual([]);
    recorded.length = 0;
    const watched = DatagramSocket.prototype.send;
    uninstall();
    expect(DatagramSocket.prototype.send).not.toBe(watched);
    expect(await marksOf(send)).toEqual([]);
  });
});

describe('a name that an agent looks up', () => {
  it('is named with the function, whichever way it was had', async () => {
    const name = 'reenact.invalid';
    const ways: [string, () => unknown][] = [
      ['dns.lookup', () => dns.lookup(name, () => undefined)],
      ['dns.lookup', () => lookup(name, () => undefined)],
      ['dns.lookup', () => void promisify(lookup)(name).catch(() => undefined)],
      ['dns.lookup', () => void promises.lookup(name).catch(() => undefined)],
      ['dns.lookup', () => void lookupByName(name).catch(() => undefined)],
      ['dns.resolve4', () => new Promise((resolve) => failingResolver().resolve4(name, resolve))],
    ];
    for (const [shown, ask] of ways) {
      recorded.length = 0;
      expect(await marksOf(ask)).toEqual([`/connections/${shown} ${name}`]);
    }
  });

  it('is not named where the machine knows it, and answers as it does without the watch', async () => {
    const found: unknown[] = [];
    const marks = await marksOf(async () => {
      found.push(await promises.lookup('127.0.0.1'), await promisify(lookup)('127.0.0.1'));
    });
    const address = { address: '127.0.0.1', family: 4 };
    expect([marks, found]).toEqual([[], [address, address]]);
    expect(() => Reflect.apply(dns.lookup, undefined, ['reenact.invalid'])).toThrow(TypeError);
  });

  it('is not named beside the connection or the request that it is looked up for', async () => {
    const server: Server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const marks = await marksOf(async () => {
      const socket = connect(port, 'reenact.invalid').on('error', () => undefined);
      await new Promise((resolve) => socket.on('close', resolve));
      await fetch(`http://reenact.invalid:${port}`).catch(() => undefined);
    });
    server.close();
    expect(marks).toEqual([`/connections/reenact.invalid:${port}`]);
  });
});

describe('a program that an agent starts', () => {
  const ended = (line: string): Promise<unknown> => once(spawn(line, { shell: true }), 'close');

  it.each<[string, () => unknown, string[]]>([
    ['spawn', () => once(spawn('uname', ['-s']), 'close'), ['uname']],
    ['execFile', () => promisify(execFile)('uname', ['-n']), ['uname']],
    ['exec', () => promisify(exec)('echo "secret" | cat'), ['echo']],
    ['a shell', () => ended('/bin/echo x && true'), ['echo']],
    ['spawnSync', () => spawnSync('uname', ['-s']), ['uname']],
    ['spawnSync in a shell', () => spawnSync('true', { shell: true }), ['true']],
    ['execFileSync', () => execFileSync('uname'), ['uname']],
    ['execSync', () => execSync('uname -s'), ['uname']],
    ['several', () => Promise.all([ended('true'), ended('true'), ended('uname')]), ['true', 'uname']],
    ['one that is not there', () => once(spawn('reenact-no-program'), 'error'), ['reenact-no-program']],
    ['Node.js', () => once(spawn(process.execPath, ['-e', '']), 'close'), ['node']],
    ['Node.js in a shell', () => ended("node -e ''"), ['node']],
    ['none, inside a tool', () => tool('list', () => execSync('uname'))(), []],
  ])('is named: %s', async (_, work, names) => {
    expect(await marksOf(work)).toEqual(names.map((name) => `/connections/program ${name}`));
  });
});

describe('a worker thread that an agent starts', () => {
  const ended = (worker: Worker): Promise<unknown> => once(worker, 'exit');
  const code = 'data:text/javascript,0';

  it('is named by what it runs, with the package that starts it', async () => {
    expect(await marksOf(() => ended(new Worker(new URL(code))))).toEqual([`/connections/thread ${code}`]);
    recorded.length = 0;
    expect(await marksOf(() => ended(new Worker('0', { eval: true })))).toEqual([
      '/connections/thread of code given as text',
    ]);
    recorded.length = 0;
    const start = runInThisContext('(Worker, url) => new Worker(url)', {
      filename: '/app/node_modules/a-pool/pool.js',
    }) as (thread: typeof Worker, url: URL) => Worker;
    expect(await marksOf(() => ended(start(threads.Worker, new URL(code))))).toEqual([
      `/connections/thread ${code} by a-pool`,
    ]);
  });

  it('is what it was without the watch, also where its class is extended', async () => {
    class OwnWorker extends threads.Worker {}
    const worker = new OwnWorker(new URL(code));
    expect([worker instanceof OwnWorker, worker instanceof Worker, worker.constructor.name]).toEqual([
      true,
      true,
      'OwnWorker',
    ]);
    await ended(worker);
  });

  it('is not named inside of a tool, and once the watch is taken away', async () => {
    const start = (): Promise<unknown> => ended(new threads.Worker(new URL(code)));
    expect(await marksOf(() => tool('compute', start)())).toEqual([]);
    recorded.length = 0;
    uninstall();
    expect(await marksOf(start)).toEqual([]);
  });
});

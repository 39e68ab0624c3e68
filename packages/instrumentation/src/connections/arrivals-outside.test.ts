import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type LookupFunction, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { agent } from '../boundary/boundaries.ts';
import type { CrossingFacts } from '../gate/crossing-facts.ts';
import { admit, gate } from '../index.ts';
import { installConnectionWatch } from './install-connection-watch.ts';
import { noteUnrecordedSocket } from './sockets/watch-arrivals.ts';

const requestBoundary = {
  kind: 'agent',
  name: 'request',
  effect: 'write',
  capture: 'full',
  policy: CANONICAL_POLICIES.arguments,
} as const;
const recorded: CrossingFacts[] = [];
let uninstall: () => void;

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  gate.configure({ recorder: { record: (facts) => recorded.push(facts) } });
});
afterAll(() => {
  gate.configure({ recorder: undefined });
  context.disable();
});
beforeEach(() => {
  recorded.length = 0;
  uninstall = installConnectionWatch();
});
afterEach(() => uninstall());

function serveRequest(): void {
  const span = { name: 'request', kind: 'server' } as const;
  const admission = admit({ boundary: requestBoundary, input: [], call: 'promise', span });
  if (admission.type === 'run') admission.crossing.settle({ type: 'returned', value: undefined });
}

/** The marks that mention `what`, of a run that goes on while something comes, of one behind that, and of a request behind it. */
async function marksAround(what: string, come: () => Promise<unknown>): Promise<readonly (readonly string[])[]> {
  const held = Promise.withResolvers<void>();
  const slow = agent('slow', () => held.promise)();
  await come();
  held.resolve();
  await slow;
  await agent('behind', async () => 'done')();
  serveRequest();
  return recorded.map(({ lossy }) => lossy.filter((mark) => mark.includes(what)));
}

const run = promisify(execFile);

/** Another process sends to a port. */
function sendFromElsewhere(program: string, port: number): Promise<unknown> {
  return run(process.execPath, ['--eval', program, String(port)]);
}

it('what comes over a WebSocket of the program marks the runs that go on, and those that begin behind it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const came = 'what came over a connection to news.example';
  const marks = await marksAround(came, async () => noteUnrecordedSocket(socket, 'news.example'));
  socket.destroy();
  server.close();
  const before = `/connections/before the run: ${came}`;
  expect(marks).toEqual([[`/connections/beside the run: ${came}`], [before], [before]]);
});

it('what another process sends to a server that no replay asks marks runs, and no request', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const heard = once(server, 'connection').then(([socket]) => once((socket as Socket).resume(), 'end'));
  const come = (): Promise<unknown> =>
    Promise.all([heard, sendFromElsewhere("require('net').connect(+process.argv[1]).end('more')", port)]);
  const came = `what came to a server on port ${port} that no replay asks`;
  const marks = await marksAround(came, come);
  server.close();
  expect(marks).toEqual([[`/connections/beside the run: ${came}`], [`/connections/before the run: ${came}`], []]);
});

it('datagrams of another process mark runs, and no request', async () => {
  const receiver = createSocket('udp4').bind(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address();
  // That it sends to a port of this number elsewhere says nothing.
  receiver.send('more', port, '192.0.2.1', () => undefined);
  const program = "const s = require('dgram').createSocket('udp4'); s.send('more', +process.argv[1], () => s.close())";
  const come = (): Promise<unknown> => Promise.all([once(receiver, 'message'), sendFromElsewhere(program, port)]);
  const came = `what came as datagrams on port ${port}`;
  const marks = await marksAround(came, come);
  receiver.close();
  expect(marks).toEqual([[`/connections/beside the run: ${came}`], [`/connections/before the run: ${came}`], []]);
});

it('what the process sends to itself marks nothing: it does so in a replay, too', async () => {
  const server = createServer((socket) => socket.end('more')).listen(0, '127.0.0.1');
  const receiver = createSocket('udp4').bind(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(receiver, 'listening')]);
  const sender = createSocket('udp4');
  const come = async (): Promise<void> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.end('hello');
    sender.send('hello', receiver.address().port, '127.0.0.1');
    await Promise.all([once(socket.resume(), 'close'), once(receiver, 'message')]);
  };
  const { port } = server.address() as AddressInfo;
  const came = [`server on port ${port}`, `datagrams on port ${receiver.address().port}`];
  const marks = await marksAround('what came', come);
  for (const open of [server, receiver, sender]) open.close();
  expect(marks.flat().filter((mark) => came.some((what) => mark.includes(what)))).toEqual([]);
});

it('a port of another machine with the number of an own server makes nothing of what comes to that one its own', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // An address that is kept for examples: nobody answers there. The name does not lead to the server either.
  const elsewhere = [connect(port, '192.0.2.1'), connect({ port, host: 'db.example', lookup: () => undefined })];
  for (const socket of elsewhere) socket.on('error', () => undefined);
  const heard = once(server, 'connection').then(([socket]) => once((socket as Socket).resume(), 'end'));
  const come = (): Promise<unknown> =>
    Promise.all([heard, sendFromElsewhere("require('net').connect(+process.argv[1]).end('more')", port)]);
  const came = `what came to a server on port ${port} that no replay asks`;
  const marks = await marksAround(came, come);
  for (const socket of elsewhere) socket.destroy();
  server.close();
  expect(marks).toEqual([[`/connections/beside the run: ${came}`], [`/connections/before the run: ${came}`], []]);
});

it.each(['localhost', '::ffff:127.0.0.1', '0.0.0.0', 'a name'])('a server is its own by %s, too', async (host) => {
  const server = createServer((socket) => socket.end('more').resume()).listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const lookup: LookupFunction = (_name, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]);
  const come = async (): Promise<void> => {
    const named = host === 'a name';
    const socket = named ? connect({ port, host: 'me.example', lookup }) : connect({ port, host, family: 4 });
    socket.write('hello');
    await once(socket.resume(), 'end');
    socket.end();
  };
  const marks = await marksAround(`server on port ${port}`, come);
  server.close();
  expect(marks).toEqual([[], [], []]);
});

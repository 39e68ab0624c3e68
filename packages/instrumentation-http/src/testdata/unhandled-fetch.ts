import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gate } from '@reenact/instrumentation';
import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import { patchHttp } from './http-suite.ts';

// Run as a process of its own: prints which requests failed without anybody handling it; it does not go on where that is not told.
const told = new Map<Promise<unknown>, () => void>();
process.on('unhandledRejection', (_error, promise) => told.get(promise)?.());

async function urlOfNobody(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

async function failUnhandled(name: string, url: string): Promise<void> {
  await new Promise<void>((resolve) => told.set(fetch(url), resolve));
  process.stdout.write(`${name}\n`);
}

const url = await urlOfNobody();
patchHttp({ ignoreOutbound: (request) => request.url.pathname === '/ignored' });
await failUnhandled('nobody records', url);
const calls = new RecordedCalls();
const detach = calls.attach();
await failUnhandled('ignored', `${url}/ignored`);
await failUnhandled('recorded', url);
await calls.settled(1);
const player = new TapePlayer(calls.crossings());
await player.during(() => failUnhandled('served', url));
detach();
gate.configure({ recorder: undefined, tracerProvider: undefined });
await new TapePlayer(calls.crossings()).during(() => failUnhandled('served, unwatched', url));

import { once } from 'node:events';
import { get, Agent as HttpAgent } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gate } from '../../admission/current-gate.ts';
import { agent, tool } from '../../boundary/boundaries.ts';
import { ioredisClient } from '../../clients/redis/ioredis-client.ts';
import type { CrossingFacts } from '../../gate/crossing-facts.ts';
import { installConnectionWatch } from '../install-connection-watch.ts';

const recorded: CrossingFacts[] = [];
const accepted = new Set<Socket>();
let server: Server;
let port: number;
let uninstall = (): void => undefined;

/** Answers HTTP, each command of Redis, and whatever else it hears. */
function answerTo(data: Buffer): string {
  if (String(data).startsWith('GET ')) return 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
  return '+OK\r\n'.repeat(String(data).match(/^\*\d+\r$/gm)?.length ?? 1);
}

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  gate.configure({ recorder: { record: (facts) => recorded.push(facts) } });
  server = createServer((socket) => {
    accepted.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => socket.write(answerTo(data)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterAll(() => {
  for (const socket of accepted) socket.destroy();
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
  recorded.length = 0;
  await agent('outer', async () => {
    await work();
  })();
  const lossy = recorded.find(({ boundary }) => boundary.name === 'outer')?.lossy ?? [];
  // What a case before this one connected to outside of its agent counts for every agent after it.
  return lossy.filter((mark) => mark.startsWith('/connections/') && !mark.includes('before the run: '));
}

async function opened(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function asked(socket: Socket): Promise<void> {
  socket.write('hello');
  await once(socket, 'data');
}

describe('a connection that is used where it was not opened', () => {
  it('is named in each run that sends over it, whoever opened it', async () => {
    const mark = `/connections/127.0.0.1:${port}`;
    const before = await opened();
    expect(await marksOf(() => asked(before))).toEqual([mark]);
    let ofFirst: Socket | undefined;
    await marksOf(async () => {
      ofFirst = await opened();
    });
    const later = ofFirst as Socket;
    expect(await marksOf(() => asked(later))).toEqual([mark]);
    later.cork();
    expect(
      await marksOf(async () => {
        later.write('more');
        later.write('of it');
        later.uncork();
        await once(later, 'data');
      }),
    ).toEqual([mark]);
    expect(await marksOf(() => undefined)).toEqual([]);
    before.destroy();
    later.destroy();
  });

  it('is named with the package that opened it', async () => {
    const client = new Redis(port, '127.0.0.1', { enableReadyCheck: false });
    await once(client, 'ready');
    expect(await marksOf(() => client.get('key'))).toEqual([`/connections/127.0.0.1:${port} by ioredis`]);
    client.disconnect();
  });

  it('is not named in a tool, whose outcome is served, nor of a wrapped client', async () => {
    const before = await opened();
    const client = ioredisClient(new Redis(port, '127.0.0.1', { enableReadyCheck: false, lazyConnect: true }));
    await client.connect();
    expect(await marksOf(tool('ask', () => asked(before)))).toEqual([]);
    expect(await marksOf(() => client.get('key'))).toEqual([]);
    client.disconnect();
    before.destroy();
  });

  it('is not named of HTTP that keeps its connections', async () => {
    const keeping = new HttpAgent({ keepAlive: true, maxSockets: 1 });
    const ask = async (): Promise<void> => {
      const request = get({ port, host: '127.0.0.1', agent: keeping });
      const [response] = (await once(request, 'response')) as [{ resume(): unknown }];
      response.resume();
      await once(request, 'close');
    };
    await ask();
    expect(await marksOf(ask)).toEqual([]);
    keeping.destroy();
  });
});

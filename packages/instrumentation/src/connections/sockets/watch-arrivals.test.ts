import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { type Context, context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../../boundary/boundaries.ts';
import type { CrossingFacts } from '../../gate/crossing-facts.ts';
import { admit, gate, type OpenCrossing } from '../../index.ts';
import { installConnectionWatch } from '../install-connection-watch.ts';
import { noteUnrecordedSocket } from './watch-arrivals.ts';

const processBoundary = {
  kind: 'agent',
  name: 'process',
  effect: 'write',
  capture: 'full',
  policy: CANONICAL_POLICIES.arguments,
} as const;
const recorded: CrossingFacts[] = [];
let server: Server;
let port: number;
let heard: (socket: Socket) => unknown = () => undefined;
let uninstall = (): void => undefined;
let processRun: OpenCrossing | undefined;

const job = agent('job', async () => 'done');
const ask = tool('ask', async (socket: Socket) => {
  socket.write('hello');
  return String(await once(socket, 'data'));
});

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  gate.configure({ recorder: { record: (facts) => recorded.push(facts) } });
  server = createServer((socket) => {
    socket.on('error', () => undefined).on('data', () => heard(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterAll(() => {
  server.close();
  gate.configure({ recorder: undefined });
  context.disable();
});

beforeEach(async () => {
  // A test begins in the turn in which the one before it ended.
  await nextTurn();
  recorded.length = 0;
  heard = (socket) => socket.write('a job');
  uninstall = installConnectionWatch();
});

afterEach(() => uninstall());

/** Opens the run of the process at the first call that nothing encloses, as the register hook does. */
function openProcessRun(): Context | undefined {
  if (processRun === undefined) {
    const span = { name: 'process', kind: 'internal' } as const;
    const admission = admit({ boundary: processBoundary, input: [], call: 'promise', span });
    if (admission.type === 'run') processRun = admission.crossing;
  }
  return processRun?.context;
}

/** Sends something, and gives what is recorded of the runs that `begin` makes of the answer. */
async function marksOf(
  begin: (socket: Socket) => Promise<unknown>,
  socket = connect(port, '127.0.0.1'),
): Promise<readonly string[]> {
  socket.write('more');
  await begin(socket);
  socket.destroy();
  return recorded.flatMap(({ lossy }) => lossy).filter((mark) => mark.startsWith('/begun '));
}

describe('a run that begins with what came over a connection', () => {
  it('says so where nothing records that, however many steps are between', async () => {
    const mark = `/begun by what came over 127.0.0.1:${port}`;
    const steps = async (socket: Socket): Promise<void> => {
      await once(socket, 'data');
      for (const step of [1, 2, 3]) {
        await step;
        await new Promise<void>((resolve) => process.nextTick(resolve));
      }
      await job();
      await job();
    };
    expect(await marksOf(steps)).toEqual([mark, mark]);
  });

  it('says so of a server that no replay asks', async () => {
    heard = async (socket) => socket.end(await job());
    const closed = (socket: Socket): Promise<unknown> => once(socket.resume(), 'close');
    expect(await marksOf(closed)).toEqual([`/begun by what came to a server on port ${port} that no replay asks`]);
  });

  it('says so of one that was recorded until it became something else', async () => {
    const socket = new Socket();
    uninstall();
    socket.connect(port, '127.0.0.1');
    uninstall = installConnectionWatch();
    noteUnrecordedSocket(socket, 'bots.example');
    await wait(1);
    const begin = (): Promise<unknown> => once(socket, 'data').then(() => job());
    expect(await marksOf(begin, socket)).toEqual(['/begun by what came over a connection to bots.example']);
  });

  it('says so of each that goes on behind such a run', async () => {
    const slow = agent('slow', () => wait(1));
    const begin = (socket: Socket): Promise<unknown> => once(socket, 'data').then(slow).then(job);
    const mark = `/begun by what came over 127.0.0.1:${port}`;
    expect(await marksOf(begin)).toEqual([mark, mark]);
  });

  it('says so where a call ends before that makes nobody wait', async () => {
    const seen = tool('seen', () => 'at once');
    const begin = (socket: Socket): Promise<unknown> => once(socket, 'data').then(seen).then(job);
    const mark = `/begun by what came over 127.0.0.1:${port}`;
    expect(await marksOf(begin)).toEqual([mark, mark]);
  });
});

describe('a run behind calls of the run of its process', () => {
  it('says what those were begun by, which a replay does not get to either', async () => {
    gate.configure({ rootContext: openProcessRun, openedRootContext: () => processRun?.context });
    const slow = tool('slow', () => wait(1), { effect: 'read' });
    await slow();
    const begin = (socket: Socket): Promise<unknown> => once(socket, 'data').then(slow).then(slow).then(job);
    expect(await marksOf(begin)).toEqual([`/begun by what came over 127.0.0.1:${port}`]);
    recorded.length = 0;
    expect(
      await marksOf((socket) =>
        once(socket, 'data')
          .then(() => wait(1))
          .then(slow)
          .then(job),
      ),
    ).toEqual([]);
    gate.configure({ rootContext: undefined, openedRootContext: undefined });
  });
});

describe('a run that begins with something else', () => {
  it('says nothing where it began later with something else', async () => {
    const later = async (socket: Socket): Promise<void> => {
      await once(socket, 'data');
      await wait(1);
      await job();
    };
    expect(await marksOf(later)).toEqual([]);
  });

  it('says nothing of what was to come in the same turn anyway', async () => {
    const began = new Promise<unknown>((resolve) => {
      heard = (socket) => {
        socket.write('a job');
        // The second comes behind what was written, which waits in the socket by then.
        setImmediate(() => setImmediate(() => resolve(job())));
      };
    });
    expect(await marksOf((socket) => Promise.all([once(socket, 'data'), began]))).toEqual([]);
  });

  it('says nothing behind what came inside a tool, whose outcome is served, and inside a run', async () => {
    expect(await marksOf((socket) => ask(socket).then(job))).toEqual([]);
    const asking = agent('asking', (socket: Socket) => once(socket, 'data'));
    expect(await marksOf((socket) => asking(socket).then(job))).toEqual([]);
  });
});

it('leaves nothing behind on sockets', () => {
  expect(Object.hasOwn(Socket.prototype, 'push')).toBe(true);
  uninstall();
  expect(Object.hasOwn(Socket.prototype, 'push')).toBe(false);
});

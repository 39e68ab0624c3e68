import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type Context, context as contexts } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { buildRecording } from '@reenact/recordings/testing';
import type { GuardRequest, ReportInput } from '@reenact/replay';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

const recording = buildRecording({ label: 'agent:a', children: [{ label: 'tool:t', input: ['one'], output: 1 }] });
const rootSpanId = recording.roots[0]?.spanId ?? '';

let parts: Pick<typeof import('@reenact/replay'), 'buildReport' | 'installGuard' | 'makePlan' | 'RecordedPlayer'>;
let withPosition: typeof import('@reenact/instrumentation').withPosition;

beforeAll(async () => {
  vi.stubEnv('REENACT_TELEMETRY_HOSTS', '127.0.0.1');
  // Loaded now: the list is read once, from what the process was started with.
  parts = await import('@reenact/replay');
  ({ withPosition } = await import('@reenact/instrumentation'));
});

afterAll(() => void vi.unstubAllEnvs());

interface Seen<Result> {
  readonly result: Result;
  readonly notes: readonly string[];
  readonly forbidden: readonly string[];
}

type Asked = Pick<GuardRequest, 'scope'> & { readonly allowHosts?: string[] };

/** What `work` gives in a replay, with a position where contexts reach it, and what the report says of it. */
async function inReplay<Result>(work: () => Promise<Result>, request: Asked): Promise<Seen<Result>> {
  const { RecordedPlayer, buildReport, installGuard, makePlan } = parts;
  const events: ReportInput['events'][number][] = [];
  const write = (event: ReportInput['events'][number]['event']): void =>
    void events.push({ processId: '1', atUs: events.length, event });
  const { scope, allowHosts = [] } = request;
  const process = scope === 'process' ? 'dedicated' : 'shared';
  const plan = makePlan({}, recording);
  const player = new RecordedPlayer({ recording, rootSpanId, plan, replayId: 'r', process, sink: { write } });
  const remove = installGuard({ player, scope, allowed: { allowHosts, allowPaths: [], allowPrograms: [] } });
  try {
    const result = await contexts.with(withPosition(contexts.active(), { player, cursor: rootSpanId }), work);
    const { notes, divergences } = buildReport({
      recording,
      rootSpanId,
      replayId: 'r',
      process,
      events,
      durationMs: 1,
    });
    const forbidden = divergences.filter(({ kind }) => kind === 'forbidden').map(({ message }) => message);
    return { result, notes: notes.filter((note) => note.includes('127.0.0.1')), forbidden };
  } finally {
    remove();
  }
}

beforeEach(() => contexts.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterEach(() => contexts.disable());

describe('a datagram to a named host of telemetry', () => {
  let receiver: DatagramSocket;
  let sender: DatagramSocket;
  let arrived: number;

  beforeEach(async () => {
    arrived = 0;
    receiver = createSocket('udp4').on('message', () => (arrived += 1));
    receiver.bind(0, '127.0.0.1');
    await once(receiver, 'listening');
    sender = createSocket('udp4');
  });

  afterEach(() => {
    for (const socket of [receiver, sender]) socket.close();
  });

  /** In which context the code goes on that is told of a datagram, and in which it asked for that. */
  async function send(): Promise<{ asked: Context; told: Context }> {
    const asked = contexts.active();
    const told = await new Promise<Context>((resolve) =>
      sender.send('app.count:1|c', receiver.address().port, '127.0.0.1', () => resolve(contexts.active())),
    );
    return { asked, told };
  }

  it.each([
    ['is held back', { scope: 'process' }, 'was held back: 1 request.'],
    ['is let out by name', { scope: 'process', allowHosts: ['127.0.0.1'] }, undefined],
    ['goes out of a process that is shared', { scope: 'context' }, 'went out (dgram.Socket.send)'],
  ] satisfies [string, Asked, string | undefined][])(
    'has who is told of it go on as the agent, where it %s',
    async (_name, request, note) => {
      const { result, notes, forbidden } = await inReplay(send, request);
      expect(result.told).toBe(result.asked);
      expect([notes, forbidden]).toEqual([note === undefined ? [] : [expect.stringContaining(note)], []]);
      if (note?.startsWith('was held') !== true && arrived === 0) await once(receiver, 'message');
    },
  );
});

let server: Server;
let port: number;
let accepted: Socket[];
const opened: Socket[] = [];

beforeEach(async () => {
  accepted = [];
  // Listening before the guard comes, it is no server of the replay's own.
  server = createServer((socket) => accepted.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});

afterEach(() => {
  for (const socket of [...opened.splice(0), ...accepted]) socket.destroy();
  server.close();
});

async function open(host = '127.0.0.1'): Promise<string> {
  const socket = connect(port, host);
  opened.push(socket);
  return new Promise((resolve) => {
    socket.once('connect', () => resolve('connected'));
    socket.once('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message));
  });
}

async function write(): Promise<string> {
  const [socket] = opened;
  return new Promise((resolve) =>
    socket?.write('asked\n', (error?: (Error & { code?: string }) | null) => resolve(error?.code ?? 'written')),
  );
}

describe('a connection to a named host of telemetry', () => {
  it('finds nobody there, and is counted', async () => {
    const { result, notes, forbidden } = await inReplay(() => open(), { scope: 'process' });
    expect([result, notes, forbidden]).toEqual([
      'ECONNREFUSED',
      [expect.stringContaining('was held back: 1 request.')],
      [],
    ]);
  });

  it('is refused like every other where contexts reach nobody', async () => {
    contexts.disable();
    const { result, forbidden } = await inReplay(() => open(), { scope: 'process' });
    expect([result, forbidden]).toEqual(['ECONNREFUSED', [expect.stringContaining(`net.connect 127.0.0.1:${port}`)]]);
  });

  it('is let out where it is allowed, also where contexts reach nobody', async () => {
    contexts.disable();
    const { result, forbidden } = await inReplay(() => open(), { scope: 'process', allowHosts: ['127.0.0.1'] });
    expect([result, forbidden]).toEqual(['connected', []]);
  });
});

describe('a connection of before a replay', () => {
  it('to a named host of telemetry carries nothing out of it', async () => {
    expect(await open()).toBe('connected');
    const { result, notes, forbidden } = await inReplay(write, { scope: 'process' });
    expect([result, forbidden]).toEqual(['replay-refused', []]);
    expect(notes).toEqual([expect.stringContaining('was held back: 1 request.')]);
  });

  it('to a named host of telemetry is noted in a process that is shared', async () => {
    expect(await open()).toBe('connected');
    const { result, notes } = await inReplay(write, { scope: 'context' });
    expect([result, notes]).toEqual(['written', [expect.stringContaining('went out (net.Socket.write)')]]);
  });

  it('to any other host is refused under the name that it was opened by', async () => {
    expect(await open('localhost')).toBe('connected');
    const { result, forbidden } = await inReplay(write, { scope: 'context' });
    expect([result, forbidden]).toEqual(['replay-refused', [expect.stringContaining(`localhost:${port}`)]]);
  });
});

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { ReplayServiceClient, replayServiceDefinition } from '@reenact/collector-client/replay-service';
import { isReenactError } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningCollector, startCollector } from '../collector.ts';

let folder: string;
let collector: RunningCollector;
let client: ReplayServiceClient;
let made = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'replay-service-'));
  collector = await startCollector({ dataDirectory: folder, httpPort: 0, grpcPort: 0 });
  client = new ReplayServiceClient(collector.grpcUrl);
});

afterAll(async () => {
  client.close();
  await collector.stop();
  rmSync(folder, { recursive: true, force: true });
});

function freshAccess(): { replayId: string; proof: string } {
  made += 1;
  return { replayId: `replay-${made}`, proof: `proof-${made}` };
}

async function codeOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return 'done';
  } catch (error) {
    return isReenactError(error) ? error.code : String(error);
  }
}

/** A service that takes part: answers flushes with `reply`, until it is told that it is over. */
function takePart(access: { replayId: string; proof: string }, processId: string, reply?: () => string) {
  let ready: (value: { order: string; recording: Buffer }) => void;
  let over: (value: string) => void;
  const joined = new Promise<{ order: string; recording: Buffer }>((resolve) => {
    ready = resolve;
  });
  const ended = new Promise<string>((resolve) => {
    over = resolve;
  });
  const stream = client.joinReplay(access, processId, 'agent', {
    ready: (order, recording) => ready({ order, recording }),
    flush: (number) => {
      if (reply !== undefined) void client.reportEvents(access, processId, Buffer.from(reply()), number);
    },
    over: (error) => over(error?.code ?? 'ended'),
  });
  return { joined, ended, leave: () => stream.leave() };
}

describe('a replay at the replay service', () => {
  it('gives its services the order and a recording of several megabytes, byte for byte', async () => {
    const access = freshAccess();
    const recording = randomBytes(5_000_001);
    await client.registerReplay(access, '{"plan":1}', recording, 60_000);
    const parts = [takePart(access, 'one'), takePart(access, 'two')];
    for (const part of parts) {
      const { order, recording: given } = await part.joined;
      expect(order).toBe('{"plan":1}');
      expect(given.equals(recording)).toBe(true);
    }
    await client.endReplay(access);
    expect(await Promise.all(parts.map(({ ended }) => ended))).toEqual(['ended', 'ended']);
  });

  it('gathers what every service still had, and names those that did not answer', async () => {
    const access = freshAccess();
    await client.registerReplay(access, '', Buffer.from('r'), 60_000);
    const answering = takePart(access, 'one', () => 'late\n');
    const silent = takePart(access, 'two');
    const gone = takePart(access, 'three');
    await Promise.all([answering.joined, silent.joined, gone.joined]);
    await client.reportEvents(access, 'two', Buffer.from('early\n'), 0);
    gone.leave();
    const { participants, lines } = await client.gatherReports(access, 300);
    expect(lines.toString('utf8')).toBe('early\nlate\n');
    expect(participants).toEqual([
      { processId: 'one', service: 'agent', hasAnswered: true },
      { processId: 'two', service: 'agent', hasAnswered: false },
      { processId: 'three', service: 'agent', hasAnswered: false },
    ]);
    await client.endReplay(access);
  });

  it('is over for everybody when its time is up', async () => {
    const access = freshAccess();
    await client.registerReplay(access, '', Buffer.from('r'), 200);
    const part = takePart(access, 'one');
    expect(await part.ended).toBe('ended');
    expect(await codeOf(() => client.gatherReports(access, 10))).toBe('not-found');
  });
});

describe('who may ask', () => {
  it('is whoever proves to have the key, and nobody else', async () => {
    const access = freshAccess();
    await client.registerReplay(access, '', Buffer.from('r'), 60_000);
    const forged = { ...access, proof: 'proof-forged' };
    expect(await takePart(forged, 'one').ended).toBe('replay-denied');
    expect(await codeOf(() => client.reportEvents(forged, 'one', Buffer.from('x'), 0))).toBe('replay-denied');
    expect(await codeOf(() => client.gatherReports(forged, 10))).toBe('replay-denied');
    expect(await codeOf(() => client.endReplay(forged))).toBe('replay-denied');
    await expect(client.registerReplay(forged, '', Buffer.from('other'), 60_000)).rejects.toMatchObject({
      code: 'replay-exists',
      next: expect.stringContaining('Start the replay again'),
    });
    const { recording } = await takePart(access, 'one').joined;
    expect(recording.toString()).toBe('r');
    await client.endReplay(access);
  });

  it('must name a replay that goes on, and say who it is', async () => {
    const access = freshAccess();
    expect(await takePart(access, 'one').ended).toBe('not-found');
    expect(await codeOf(() => client.reportEvents(access, 'one', Buffer.from('x'), 0))).toBe('not-found');
    expect(await codeOf(() => client.endReplay(access))).toBe('done');
    expect(await codeOf(() => client.registerReplay({ replayId: '', proof: 'p' }, '', Buffer.from('r'), 1_000))).toBe(
      'bad-request',
    );
    expect(await codeOf(() => client.registerReplay(access, '', Buffer.from('r'), 0))).toBe('bad-request');
    await client.registerReplay(access, '', Buffer.from('r'), 60_000);
    expect(await takePart(access, 'no\u0000name').ended).toBe('bad-request');
    await client.endReplay(access);
  });

  it('is told in words which address it was given where that is the port of HTTP', async () => {
    const wrong = new ReplayServiceClient(collector.httpUrl);
    await expect(wrong.endReplay(freshAccess())).rejects.toMatchObject({
      code: 'collector-refused',
      message: expect.stringContaining('speaks no gRPC'),
      next: expect.stringContaining('REENACT_REPLAY_SERVICE'),
    });
    wrong.close();
  });

  it('is told where nobody listens', async () => {
    const alone = new ReplayServiceClient('http://127.0.0.1:9');
    expect(await codeOf(() => alone.endReplay(freshAccess()))).toBe('collector-unreachable');
    alone.close();
    expect(await codeOf(async () => new ReplayServiceClient('127.0.0.1'))).toBe('bad-argument');
  });
});

describe('a driver that begins to hand a replay over and sends no more', () => {
  it('is told to begin again, and keeps neither its place nor its bytes', async () => {
    const limits = { requestStallMs: 200, replaysMax: 1 };
    const other = await startCollector({ dataDirectory: join(folder, 'stalled'), httpPort: 0, grpcPort: 0, limits });
    const { path, requestSerialize, responseDeserialize } = replayServiceDefinition.registerReplay;
    const driver = new Client(new URL(other.grpcUrl).host, credentials.createInsecure());
    const refused = new Promise<ServiceError | null>((resolve) => {
      const call = driver.makeClientStreamRequest(path, requestSerialize, responseDeserialize, resolve);
      call.write({ header: { ...freshAccess(), order: '', lifeMs: 60_000 } });
      call.write({ recordingChunk: Buffer.alloc(1_000) });
    });
    expect(await refused).toMatchObject({ code: status.UNAVAILABLE, details: expect.stringContaining('200 ms') });
    const next = new ReplayServiceClient(other.grpcUrl);
    await next.registerReplay(freshAccess(), '', Buffer.from('r'), 60_000);
    next.close();
    driver.close();
    await other.stop();
  });
});

describe('a collector that stops', () => {
  it('ends the replays that go on, and is not held up by them', async () => {
    const other = await startCollector({ dataDirectory: join(folder, 'other'), httpPort: 0, grpcPort: 0 });
    const ours = client;
    client = new ReplayServiceClient(other.grpcUrl);
    const access = freshAccess();
    await client.registerReplay(access, '', Buffer.from('r'), 60_000);
    const part = takePart(access, 'one');
    await part.joined;
    await other.stop();
    expect(await part.ended).toBe('ended');
    client.close();
    client = ours;
  });
});

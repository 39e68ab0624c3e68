import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { CollectorMemory } from '@reenact/collector';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, ingestClient } from '../bench/ingest-client.ts';
import { IngestRequests, LARGE_SPANS, TEMPLATES } from '../bench/ingest-requests.ts';
import { type RunningCommand, startCommand } from '../scenarios/run-command.ts';
import { type MemoryGroup, makeMemoryGroup } from './memory-group.ts';

const reenact = fileURLToPath(new URL('../../packages/reenact/bin/reenact.mjs', import.meta.url));
const MIB = 1024 * 1024;

/** `npm run heavy` gives it the time in which a collector that took too much was ended. */
const LOAD_MS = Number(process.env.REENACT_TEST_MEMORY_LOAD_MS ?? 3_000);

let folder: string;
let group: MemoryGroup | undefined;
let collector: RunningCommand | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reenact-memory-'));
});
afterEach(async () => {
  await collector?.stop();
  collector = undefined;
  group?.remove();
  group = undefined;
  await rm(folder, { recursive: true, force: true });
});

interface Started {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly memory: CollectorMemory;
}

/** `reenact collect` in a container of so many bytes, or in none. */
async function start(bytes: number | undefined, flags: readonly string[] = []): Promise<Started> {
  const ports = ['--http-port', '0', '--grpc-port', '0', '--data', join(folder, 'data')];
  const command = [process.execPath, reenact, 'collect', '--json', ...ports, ...flags];
  group = bytes === undefined ? undefined : makeMemoryGroup(bytes);
  const environment = { PATH: process.env.PATH, HOME: folder, MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };
  collector = await startCommand(group?.within(command) ?? command, { cwd: folder, environment });
  return JSON.parse(collector.firstLine) as Started;
}

function logged(event: string): readonly unknown[] {
  const lines = collector?.errors().trim().split('\n') ?? [];
  return lines.filter((line) => line.includes(`"event":"${event}"`)).map((line) => JSON.parse(line) as unknown);
}

const probe = makeMemoryGroup(512 * MIB);
probe?.remove();

describe.skipIf(probe === undefined)('a collector in a small container', () => {
  it('shares out what memory there is, and says so', async () => {
    const { memory } = await start(512 * MIB, ['--log-level', 'info']);
    expect(memory).toEqual({
      memoryBytesMax: 512 * MIB,
      bytesInFlightMax: 16 * MIB,
      commitBacklogBytesMax: 128 * MIB,
      readCacheBytesMax: 32 * MIB,
      replayBytesMax: 128 * MIB,
    });
    expect(logged('memory shared out')).toEqual([expect.objectContaining({ level: 'info', ...memory })]);
    expect(logged('memory is scarce')).toEqual([]);
  });

  it('warns where there is too little for load', async () => {
    const { memory } = await start(256 * MIB);
    expect(memory.bytesInFlightMax).toBe(4 * MIB);
    expect(logged('memory is scarce')).toEqual([expect.objectContaining({ memoryBytesMax: 256 * MIB })]);
  });

  it('lives while senders send all they can, searches go on and the log settles', {
    timeout: LOAD_MS + 90_000,
  }, async () => {
    const { httpUrl, grpcUrl } = await start(512 * MIB);
    const lanes = 24;
    const client = ingestClient('http-protobuf', { httpUrl, grpcAddress: new URL(grpcUrl).host }, lanes);
    const requests = new IngestRequests(LARGE_SPANS, 'protobuf');
    const endAt = performance.now() + LOAD_MS;
    const answers: Record<Answer, number> = { taken: 0, retry: 0, failed: 0 };
    let number = TEMPLATES;
    const next = (): Buffer => requests.request(number++);
    const send = async (): Promise<void> => {
      while (performance.now() < endAt) answers[await client.send(next())] += 1;
    };
    const search = async (): Promise<void> => {
      for (; performance.now() < endAt; await wait(300))
        expect((await fetch(`${httpUrl}/api/v1/search?text=order`)).status).toBe(200);
    };
    await Promise.all([search(), ...Array.from({ length: lanes }, send)]);
    client.close();
    const { store } = (await (await fetch(`${httpUrl}/api/v1/stats`)).json()) as { store: { spans: number } };
    expect(answers.failed).toBe(0);
    expect(store.spans).toBeGreaterThanOrEqual(answers.taken * LARGE_SPANS.spansPerRequest);
  });
});

describe('a collector that is told how much memory it may have', () => {
  it('goes by that, and by what else is configured', async () => {
    const config = join(folder, 'collector.json');
    await writeFile(config, JSON.stringify({ memoryBytesMax: 640 * MIB, limits: { readCacheBytesMax: 1024 } }));
    const { memory } = await start(undefined, ['--config', config]);
    expect(memory).toMatchObject({ memoryBytesMax: 640 * MIB, bytesInFlightMax: 32 * MIB, readCacheBytesMax: 1024 });
  });
});

import { spawnSync } from 'node:child_process';
import { ioredisClient } from '@reenact/instrumentation';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { Peer } from './fidelity-library.ts';
import { REDIS_PROGRAM, startRedisPeer } from './libraries/redis-peer.ts';
import { recordThenReplay } from './record-then-replay.ts';

/** What a call gives that has a callback and is waited for all the same, and who hears of it first. */
async function toldTwice(client: Redis): Promise<unknown[]> {
  const told: unknown[] = [];
  const tell = (error?: Error | null, reply?: unknown): void => void told.push(error?.message ?? reply);
  const given = await client.get('shares', tell);
  const whole = await client.pipeline().get('shares').exec(tell);
  const failed = await client.lpush('shares', 1, tell).catch(({ name }: Error) => [name, told.length]);
  // Nobody waits for it, and its callback has heard.
  await new Promise<void>((resolve) => void client.lpush('shares', 1, () => resolve()));
  const ended = await client.quit(tell);
  return [given, whole, failed, ended, told];
}

/** What single commands tell their callbacks, and what they had told by when the whole was answered. */
async function toldByCommands({ address }: Peer): Promise<unknown> {
  const client = ioredisClient(new Redis(`redis://${address}`));
  const told: unknown[] = [];
  const tell = (error?: Error | null, reply?: unknown): void => void told.push(error?.message ?? reply);
  await client.set('shares', 1);
  const whole = await new Promise((resolve) => {
    const pipeline = client.pipeline().get('shares', tell).lpush('shares', 2, tell).get('none', tell);
    pipeline.exec((error, replies) => resolve([error, replies?.length, [...told]]));
  });
  await client.multi().incr('shares', tell).exec();
  return { whole, told, both: await toldTwice(client) };
}

describe.runIf(spawnSync(REDIS_PROGRAM, ['--version']).status === 0)(
  'callbacks of commands in a pipeline of ioredis',
  () => {
    it('are called again, and before the whole is answered', async () => {
      const peer = await startRedisPeer();
      const { recorded, report } = await recordThenReplay(peer, toldByCommands);
      await peer.stop();
      const wrong = expect.stringMatching(/^WRONGTYPE/);
      expect(recorded).toEqual({
        whole: [null, 3, ['1', wrong, null]],
        told: ['1', wrong, null, 'QUEUED'],
        both: ['2', [[null, '2']], ['ReplyError', 3], 'OK', ['2', [[null, '2']], wrong, 'OK']],
      });
      expect(report.value).toEqual(recorded);
      expect([report.verdict, report.divergences]).toEqual(['reproduced', []]);
    });
  },
);

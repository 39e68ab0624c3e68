import { spawnSync } from 'node:child_process';
import { ioredisClient } from '@reenact/instrumentation';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { Peer } from './fidelity-library.ts';
import { REDIS_PROGRAM, startRedisPeer } from './libraries/redis-peer.ts';
import { recordThenReplay } from './record-then-replay.ts';

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
  await client.quit();
  return { whole, told };
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
      });
      expect(report.value).toEqual(recorded);
      expect([report.verdict, report.divergences]).toEqual(['reproduced', []]);
    });
  },
);

import { spawnSync } from 'node:child_process';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REDIS_PROGRAM, startRedisPeer } from '../conformance/instrumentation/libraries/redis-peer.ts';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

// Each case starts a driver and a program for each replay.
const caseMs = 180_000;
const jobs = ['60+30', '5', '1', '20+5', '7+1', '40', '3+3', '10'];

let stage: Stage;

describe.runIf(spawnSync(REDIS_PROGRAM, ['--version']).status === 0)(
  'jobs that two consumers in one process do side by side',
  () => {
    beforeAll(async () => {
      const server = await startRedisPeer();
      stage = await setSmallStage({ REDIS_ADDRESS: server.address });
      const client = new Redis(`redis://${server.address}`);
      await client.rpush('jobs', ...jobs, 'end', 'end');
      const { stderr, exitCode } = await stage.node(['--import', 'reenact/register', 'consumers.ts']);
      expect([exitCode, stderr]).toEqual([0, '']);
      client.disconnect();
      await server.stop();
    }, caseMs);
    afterAll(() => stage.stop());

    it(
      'are each replayed by the command, with what the consumers ask the queue between them in the order it was asked',
      async () => {
        const runs = (await listRuns(stage)).filter(({ name }) => name === 'agent:job');
        expect(runs.map(({ replayability }) => replayability.verdict)).toEqual(jobs.map(() => 'full'));
        const reports: unknown[] = [];
        const chosen = runs.filter((_, index) => index % 3 === 0);
        for (const { rootSpanId } of chosen) {
          const { report } = await replayAsJson(stage, rootSpanId, 'consumers.ts');
          reports.push([report.exitCode, report.divergences, report.runsBeside?.diverged]);
        }
        expect(reports).toEqual(chosen.map(() => [0, [], 0]));
      },
      caseMs,
    );
  },
);

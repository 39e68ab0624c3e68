import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { type RateLimitedProvider, startRateLimitedProvider } from './rate-limited-provider.ts';
import { type EchoStage, recordRun, replayAsJson, setEchoStage, setSmallStage } from './small-stage.ts';

let stage: EchoStage;

beforeAll(async () => {
  stage = await setEchoStage();
});

afterAll(() => stage.stop());

// Each case starts a handful of processes.
const caseMs = 120_000;

/** Records and replays an agent: what it printed both times, and the report. */
async function twice(script: string, environment: NodeJS.ProcessEnv = {}) {
  const { run, recorded } = await recordRun(stage, script, environment);
  const { report, result } = await replayAsJson(stage, run.rootSpanId, script, { environment });
  return { run, recorded: recorded.stdout, replayed: result.stderr, report };
}

function divergedAt(report: ReplayReport): string[] {
  return report.divergences.flatMap(({ difference }) => (difference ?? []).map(({ path }) => path));
}

describe('an agent that reads the clock', () => {
  it(
    'reads the recorded times again, to the millisecond, in prompts and arguments',
    async () => {
      const { recorded, replayed, report } = await twice('clock-in-prompt.ts');
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], notes: [] });
      expect(replayed).toContain(recorded.trim());
    },
    caseMs,
  );
});

describe('an agent that measures how long it took', () => {
  it(
    'measures the same again, to the nanosecond, whatever its clients measure beside it',
    async () => {
      const { recorded, replayed, report } = await twice('stopwatch.ts');
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
      expect(report.notes.join()).not.toContain('Clock reads');
      expect(replayed).toContain(recorded.trim());
    },
    caseMs,
  );
});

describe('a script that no agent encloses', () => {
  it(
    'draws the same again, also before its first call',
    async () => {
      const { recorded, replayed, report } = await twice('bare-dice.ts');
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], notes: [] });
      expect(replayed).toContain(recorded.trim());
    },
    caseMs,
  );
});

describe('an agent whose stacks are formatted by a function that draws', () => {
  it(
    'draws the same: that we look at a stack is no part of the run',
    async () => {
      const { recorded, replayed, report } = await twice('formatted-stacks.ts');
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], notes: [] });
      expect(replayed).toContain(recorded.trim());
    },
    caseMs,
  );
});

describe('an agent with spans of its framework inside', () => {
  it(
    'draws the same however many there are: their ids and times are no part of the run',
    async () => {
      const { run, recorded } = await recordRun(stage, 'spans-of-app.ts', { FRAMEWORK_SPANS: '1' });
      for (const spans of ['0', '1', '3']) {
        const environment = { FRAMEWORK_SPANS: spans };
        const { report, result } = await replayAsJson(stage, run.rootSpanId, 'spans-of-app.ts', { environment });
        expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
        expect(result.stderr).toContain(recorded.stdout.trim());
      }
    },
    caseMs,
  );
});

describe('an agent that waits', () => {
  it(
    'waits for nothing in a replay, and comes to the same end by the same order',
    async () => {
      const { recorded, replayed, report } = await twice('timers.ts', { WORK_MS: '60' });
      expect(JSON.parse(recorded)).toEqual({
        raced: ['slow 60', 'timeout 60'],
        beats: expect.any(Number),
        polls: expect.any(Number),
        aborted: 'TimeoutError: The operation was aborted due to timeout',
      });
      expect(replayed).toContain(recorded.trim());
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
      expect(report.notes.join()).toContain('Timers of the run fired in virtual time');
    },
    caseMs,
  );

  it(
    'is held by its timers as long as a real process would be, and no longer',
    async () => {
      const { recorded, replayed, report } = await twice('loose-ends.ts');
      expect(JSON.parse(recorded)).toEqual({ seen: 'seen', caught: ['thrown by a timer'], beats: true });
      expect(replayed).toContain(recorded.trim());
      expect(report.verdict).toBe('reproduced');
    },
    caseMs,
  );

  it(
    'waits as long as it did where that is asked for',
    async () => {
      const { run } = await recordRun(stage, 'parallel.ts', { DELAYS_MS: '3000,2000,1000' });
      const { report } = await replayAsJson(stage, run.rootSpanId, 'parallel.ts', { flags: ['--pace', 'recorded'] });
      expect(report.verdict).toBe('reproduced');
      expect(report.durationMs).toBeGreaterThan(2_900);
    },
    caseMs,
  );
});

describe('an agent whose bug depends on which tool finished first', () => {
  it(
    'has it again every time',
    async () => {
      const { run, recorded } = await recordRun(stage, 'which-first.ts');
      for (let round = 0; round < 3; round += 1) {
        const replays = ['node', 'node', 'node'].map(() => replayAsJson(stage, run.rootSpanId, 'which-first.ts'));
        for (const { report, result } of await Promise.all(replays)) {
          expect(report.divergences).toEqual([]);
          expect(result.stderr).toContain(recorded.stdout.trim());
        }
      }
    },
    caseMs,
  );
});

describe('a script whose first call is given up by a signal that was made before it', () => {
  it(
    'waits for that in a replay, too, where nothing else holds the process',
    async () => {
      const slow = createServer((request, response) => {
        if (request.url === '/now') response.end('at once');
      });
      await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
      const { port } = slow.address() as AddressInfo;
      const { recorded, replayed, report } = await twice('first-call-given-up.ts', {
        SLOW_URL: `http://127.0.0.1:${port}`,
      });
      slow.closeAllConnections();
      slow.close();
      expect(recorded).toBe('TimeoutError\nat once\n');
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], counts: { stubbed: 2 } });
      expect(replayed).toContain(recorded.trim());
    },
    caseMs,
  );
});

describe('an SDK that retries and gives up', () => {
  let limiting: RateLimitedProvider;
  let limitedStage: Stage;

  beforeAll(async () => {
    limiting = await startRateLimitedProvider(2);
    limitedStage = await setSmallStage(limiting.environment);
  });

  afterAll(async () => {
    await limitedStage.stop();
    await limiting.stop();
  });

  it(
    'does both again in a fraction of the time, with the provider gone',
    async () => {
      const { run, recorded } = await recordRun(limitedStage, 'retry.ts', { SAY_DURATION: '1' });
      const said = {
        limited: 'at last',
        timedOut: 'Error: Request timed out.',
        aborted: 'Error: Request was aborted.',
      };
      expect(JSON.parse(recorded.stdout)).toEqual(said);
      expect(Number(recorded.stderr.replace('took ', ''))).toBeGreaterThan(4_000);
      expect(limiting.requestCount()).toBe(6);
      await limiting.stop();
      const { report, result } = await replayAsJson(limitedStage, run.rootSpanId, 'retry.ts');
      expect(result.stderr).toContain(JSON.stringify(said));
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], counts: { stubbed: 3 } });
      // Beside a run that waits for nothing: how long a process takes to start is the machine's affair.
      const { run: short } = await recordRun(limitedStage, 'clock-in-prompt.ts');
      const { report: unwaited } = await replayAsJson(limitedStage, short.rootSpanId, 'clock-in-prompt.ts');
      // Somebody else's work may still take seconds of one replay, and not of each: one that waits takes them every time.
      let { durationMs } = report;
      for (let tries = 1; tries < 4 && durationMs >= unwaited.durationMs + 3_000; tries += 1)
        durationMs = (await replayAsJson(limitedStage, run.rootSpanId, 'retry.ts')).report.durationMs;
      expect(durationMs).toBeLessThan(unwaited.durationMs + 3_000);
    },
    caseMs,
  );
});

describe('an agent that rolls dice', () => {
  it(
    'rolls the same again, in every form, where nothing of it is a key',
    async () => {
      const { recorded, replayed, report } = await twice('dice.ts');
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], notes: [] });
      expect(replayed).toContain(recorded.trim());
    },
    caseMs,
  );

  it(
    'gets seeded bytes, and the report says so, unless bytes were recorded',
    async () => {
      const without = await twice('dice.ts', { DRAW_BYTES: '1' });
      expect(divergedAt(without.report)).toEqual(['$[0].bytes', '$[0].values[0]', '$[0].values[1]', '$[0].filled']);
      expect(without.report.notes.join()).toContain('REENACT_RECORD_RANDOM_BYTES=1');
      expect(without.run.replayability.verdict).toBe('partial');
      const kept = await twice('dice.ts', { DRAW_BYTES: '1', REENACT_RECORD_RANDOM_BYTES: '1' });
      expect(kept.report).toMatchObject({ verdict: 'reproduced', divergences: [], notes: [] });
      expect(kept.replayed).toContain(kept.recorded.trim());
    },
    caseMs,
  );

  it(
    'that rolls once more than recorded proves nothing, and says where',
    async () => {
      const { run } = await recordRun(stage, 'dice.ts');
      const environment = { MORE_DRAWS: '1' };
      const { report, result } = await replayAsJson(stage, run.rootSpanId, 'dice.ts', { environment });
      expect(result.exitCode).toBe(2);
      expect(report.verdict).toBe('unverified');
      expect(report.notes.join()).toContain('Math.random was drawn more often in agent:gambler');
    },
    caseMs,
  );
});

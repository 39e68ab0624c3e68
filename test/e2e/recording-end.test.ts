import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { type EchoProvider, startEchoProvider } from './provider.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

let provider: EchoProvider;
let stage: Stage;

beforeAll(async () => {
  provider = await startEchoProvider();
  stage = await setSmallStage(provider.environment);
});

afterAll(async () => {
  await stage.stop();
  await provider.stop();
});

/** Records the poller until it is killed, and hands over what it left on the disk. */
async function recordKilled(environment: NodeJS.ProcessEnv): Promise<string> {
  const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
  const { exitCode } = await stage.node(['--import', 'reenact/register', 'poller.ts'], environment);
  expect(exitCode).not.toBe(0);
  await stage.reenact(['spool', 'deliver']);
  const run = (await listRuns(stage)).find(({ traceId }) => !known.has(traceId));
  if (run === undefined) throw new Error('The killed process left no run.');
  return run.rootSpanId;
}

describe('a program without an end of its own that was killed', () => {
  it.each([
    ['between', 'timer', ['poll 3', 'went on to call']],
    ['between', 'waiting', ['poll 3', 'went on to call']],
    ['inside', 'timer', ['poll 2', 'went on to call']],
    // With nothing else to do, Node.js ends by itself where a call is never answered.
    ['inside', 'waiting', ['poll 2', 'had not ended']],
  ])(
    '%s calls, polling by %s, is reproduced up to there, and its replay ends',
    async (dies, polls, [printed, note]) => {
      const spanId = await recordKilled({ DIES: dies, POLLS: polls });
      const before = provider.requestCount();
      const { report, result } = await replayAsJson(stage, spanId, 'poller.ts', { environment: { POLLS: polls } });
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], exitCode: 0 });
      expect(report.notes.join('\n')).toContain(note);
      expect(result.stderr).toContain(`${printed}:`);
      expect(result.stderr).not.toContain(`poll ${Number(printed?.at(-1)) + 1}:`);
      expect(provider.requestCount()).toBe(before);
    },
    120_000,
  );
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoStage, listRuns, replayAsJson, setEchoStage } from './small-stage.ts';

// Each replay is two processes more.
const caseMs = 120_000;

let stage: EchoStage;

beforeAll(async () => {
  stage = await setEchoStage();
});

afterAll(() => stage.stop());

describe('calls of a model with a span of the app around them, and no agent', () => {
  it(
    'are each replayed by the command, compared, and served without the provider',
    async () => {
      const recorded = await stage.node(['calls-in-app-span.ts']);
      expect([recorded.exitCode, recorded.stderr]).toEqual([0, '']);
      const [run] = await listRuns(stage);
      const several = await stage.reenact(['replay', run?.rootSpanId ?? '', '--', 'node', 'calls-in-app-span.ts']);
      const ids = [...several.stderr.matchAll(/([0-9a-f]{16}) \(model:openai\.chat/g)].map(([, id = '']) => id);
      expect([several.exitCode, ids.length]).toEqual([2, 2]);
      const before = stage.provider.requestCount();
      for (const [index, id] of ids.entries()) {
        const { report } = await replayAsJson(stage, id, 'calls-in-app-span.ts');
        expect(report).toMatchObject({ exitCode: 0, rootSpanId: id, counts: { stubbed: 1, compared: 1, refused: 0 } });
        expect(report.runsBeside?.recorded ?? 0).toBe(index);
      }
      expect(stage.provider.requestCount()).toBe(before);
    },
    caseMs,
  );
});

describe('calls of a model with nothing around them, each a trace of its own', () => {
  it(
    'are each replayed by the command, and what differs is told of the call that it is in',
    async () => {
      const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
      const recorded = await stage.node(['bare-calls.ts']);
      expect([recorded.exitCode, recorded.stderr]).toEqual([0, '']);
      const runs = (await listRuns(stage))
        .filter(({ traceId }) => !known.has(traceId))
        .toSorted((left, right) => left.startedAt.localeCompare(right.startedAt));
      expect(runs.map(({ name }) => name)).toEqual(Array.from({ length: 3 }, () => 'model:openai.chat'));
      const before = stage.provider.requestCount();
      for (const [index, { rootSpanId }] of runs.entries()) {
        const { report } = await replayAsJson(stage, rootSpanId, 'bare-calls.ts');
        expect(report).toMatchObject({ exitCode: 0, rootSpanId, agentExit: 'exit code 0', outcome: { equal: true } });
        expect(report.counts).toMatchObject({ stubbed: 1, live: 0, rerun: 0, refused: 0, compared: 1 });
        expect(report.runsBeside?.begun ?? 0).toBe(index);
      }
      const checked = await stage.reenact(['check', runs[0]?.rootSpanId ?? '', '--', 'node', 'bare-calls.ts']);
      expect(checked.stdout).toContain('1 of 1 recorded crossings are covered by this replay.');
      const asked = { environment: { ASKED: 'something else' } };
      const own = await replayAsJson(stage, runs[1]?.rootSpanId ?? '', 'bare-calls.ts', asked);
      expect(own.report).toMatchObject({
        exitCode: 1,
        divergences: [{ kind: 'input-changed', next: expect.stringContaining('No agent() is around this call') }],
      });
      const third = await replayAsJson(stage, runs[2]?.rootSpanId ?? '', 'bare-calls.ts', asked);
      expect(third.report).toMatchObject({ exitCode: 1, divergences: [], runsBeside: { diverged: 1 } });
      expect(stage.provider.requestCount()).toBe(before);
      const flags = ['--live', 'model:openai.chat'];
      const live = await replayAsJson(stage, runs[2]?.rootSpanId ?? '', 'bare-calls.ts', { flags });
      expect(live.report).toMatchObject({ counts: { live: 1, stubbed: 0 }, runsBeside: { stubbed: 2, diverged: 0 } });
      expect(stage.provider.requestCount()).toBe(before + 1);
    },
    caseMs,
  );
});

describe('a span of the app that was forced to be a root, inside an agent', () => {
  it(
    'is no end of the run: what is called in there is replayed with it',
    async () => {
      const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
      const recorded = await stage.node(['--import', 'reenact/register', 'forced-root.ts']);
      expect([recorded.exitCode, recorded.stderr]).toEqual([0, '']);
      const runs = (await listRuns(stage)).filter(({ traceId }) => !known.has(traceId));
      const run = runs.find(({ name }) => name === 'agent:game');
      expect(run?.crossingCount).toBe(5);
      const before = stage.provider.requestCount();
      const { report, result } = await replayAsJson(stage, run?.rootSpanId ?? '', 'forced-root.ts');
      expect(report).toMatchObject({ verdict: 'reproduced', counts: { stubbed: 4, refused: 0 }, divergences: [] });
      expect(result.stderr).toContain(recorded.stdout.trim());
      expect(stage.provider.requestCount()).toBe(before);
    },
    caseMs,
  );
});

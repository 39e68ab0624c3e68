import { setTimeout as sleep } from 'node:timers/promises';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import type { Stage } from '../scenarios/stage.ts';
import { replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'polling-service.ts';
const everyMs = 400;
let stage: Stage;
/** In the order in which they came. */
let requests: readonly RunSummary[];

beforeAll(async () => {
  stage = await setSmallStage();
  const service = await stage.start(['--import', 'reenact/register', script]);
  const { port } = JSON.parse(service.firstLine) as { port: number };
  // Longer than the set-up holds every call of.
  for (const [waitMs, path] of [
    [everyMs * 2.6, '/first'],
    [everyMs * 36, '/second'],
    [everyMs * 1.3, '/third'],
  ] as const) {
    await sleep(waitMs);
    await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  }
  await service.stop();
  const found = await runsOnceThere(stage, (runs) => {
    const calling = runs.filter(({ name }) => name?.startsWith('agent:GET /') === true);
    return calling.length < 3 ? undefined : calling;
  });
  requests = found.toSorted((left, right) => left.startedAt.localeCompare(right.startedAt));
});

afterAll(() => stage.stop());

describe('a request to a service that polls', () => {
  it('meets what was read last before it came, and is not waited for as long as that took', async () => {
    const tookMs: number[] = [];
    for (const { rootSpanId } of requests) {
      const startedMs = performance.now();
      const { report } = await replayAsJson(stage, rootSpanId, script);
      tookMs.push(performance.now() - startedMs);
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
      expect(report.setUp).toMatchObject({ refused: 0, live: 0, notMadeTotal: 0 });
    }
    // To start a replay takes as long as the machine is busy; before the first request nearly nothing had been read.
    expect(Math.max(...tookMs) - Math.min(...tookMs)).toBeLessThan(everyMs * 30);
  });

  it('meets it after those before it, too, each with what was read by then', async () => {
    const flags = ['--requests-before', 'all'];
    for (const [index, { rootSpanId }] of requests.entries()) {
      const { report } = await replayAsJson(stage, rootSpanId, script, { flags });
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
      expect(report.runsBeside?.begun ?? 0).toBe(index);
      expect(report.runsBeside?.diverged ?? 0).toBe(0);
    }
  });

  it('is entered all the same where the changed service polls no more', async () => {
    const environment = { EVERY_MS: '100000000' };
    const { report } = await replayAsJson(stage, requests[1]?.rootSpanId ?? '', script, { environment });
    expect(report.divergences.map(({ kind }) => kind)).toContain('input-changed');
    expect(report.setUp?.notMadeTotal).toBeGreaterThan(10);
  });
});

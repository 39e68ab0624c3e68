import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, setSmallStage } from './small-stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

interface SentSpan {
  readonly traceId?: string;
  readonly parentSpanId?: string;
}

/** Sends a span of an app's own, as an exporter does. */
async function sendSpan({ traceId = randomBytes(16).toString('hex'), ...placed }: SentSpan = {}) {
  const spanId = randomBytes(8).toString('hex');
  const now = BigInt(Date.now()) * 1_000_000n;
  const times = { startTimeUnixNano: String(now), endTimeUnixNano: String(now + 1_000n) };
  const span = { traceId, spanId, name: 'GET /orders', kind: 2, ...times, ...placed };
  const response = await fetch(`${stage.collectorUrl}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
  });
  expect(response.status).toBe(200);
  return { traceId, spanId };
}

it('a trace of which nothing was recorded is listed as cold, and its replay says so and why, by whatever id', async () => {
  const { traceId, spanId } = await sendSpan();
  const listed = await stage.reenact(['runs', '--replayability', 'cold', '--json']);
  expect(listed.stdout).toContain(spanId);
  for (const id of [traceId, spanId]) {
    const { exitCode, stderr } = await stage.reenact(['replay', id, '--', 'node', 'after-run.ts']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/cold-case No span of this trace \(of 1\) was recorded by Reenact[\s\S]*reenact\/register/);
    expect(stderr).not.toContain('not-found');
  }
});

it('a span that is no crossing of a recorded trace is told as that, with the runs that can be named', async () => {
  const { run } = await recordRun(stage, 'after-run.ts', { VIA: 'handled', FOLDER: stage.folder });
  const { spanId } = await sendSpan({ traceId: run.traceId, parentSpanId: run.rootSpanId });
  const { exitCode, stderr } = await stage.reenact(['replay', spanId, '--', 'node', 'after-run.ts']);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/cold-case Span \w{16} \(GET \/orders\) is in the trace, and no crossing/);
  expect(stderr).toContain(`${run.rootSpanId} (agent:keeper)`);
});

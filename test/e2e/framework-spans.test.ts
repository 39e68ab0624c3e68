import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Span, TracesData } from '@reenact/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoStage, listRuns, replayAsJson, setEchoStage } from './small-stage.ts';

const script = 'framework-spans.ts';

let stage: EchoStage;

beforeAll(async () => {
  stage = await setEchoStage();
});

afterAll(() => stage.stop());

function spansOf({ resourceSpans = [] }: TracesData): readonly Span[] {
  return resourceSpans.flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans = [] }) => spans));
}

describe('a framework that tells of its agents by OpenTelemetry, and no agent() around them', () => {
  it('is one run with all that its code drew, replayed without a request', async () => {
    const recorded = await stage.node(['--import', 'reenact/register', script]);
    expect([recorded.exitCode, recorded.stderr]).toEqual([0, '']);
    const runs = await listRuns(stage);
    expect(runs.map(({ name }) => name).sort()).toEqual(['agent:process', 'agent:trader']);
    const ofProcess = runs.find(({ name }) => name === 'agent:process');
    const ofAgent = runs.find(({ name }) => name === 'agent:trader');
    // The framework's spans are in it and count for nothing: four calls, and not the chats that it tells of.
    expect(ofProcess).toMatchObject({ crossingCount: 5, spanCount: 10, replayability: { verdict: 'full' } });
    const before = stage.provider.requestCount();
    const { report, result } = await replayAsJson(stage, ofProcess?.rootSpanId ?? '', script);
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], counts: { stubbed: 4, compared: 5 } });
    expect(result.stderr).toContain(recorded.stdout.trim());
    const own = await replayAsJson(stage, ofAgent?.rootSpanId ?? '', script);
    expect(own.report).toMatchObject({ verdict: 'reproduced', divergences: [], counts: { stubbed: 1 } });
    expect(stage.provider.requestCount()).toBe(before);
  });

  it('links the run of an agent that began in a span of the framework to that', async () => {
    const run = (await listRuns(stage)).find(({ name }) => name === 'agent:trader');
    const file = join(stage.folder, 'trader.otlp.jsonl');
    await stage.reenact(['export', run?.rootSpanId ?? '', '--out', file]);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const spans = lines.flatMap((line) => spansOf(JSON.parse(line) as TracesData));
    const root = spans.find(({ spanId }) => spanId === run?.rootSpanId);
    const ofProcess = (await listRuns(stage)).find(({ name }) => name === 'agent:process');
    expect(root?.parentSpanId ?? '').toBe('');
    // One leads to the run of the process, as from every run, the other to the span in there.
    const links = root?.links ?? [];
    expect(links.map(({ traceId }) => traceId)).toEqual([ofProcess?.traceId, ofProcess?.traceId]);
    expect(links.filter(({ spanId }) => spanId !== ofProcess?.rootSpanId)).toHaveLength(1);
  });
});

describe('calls in spans of an app that sets up OpenTelemetry itself, and no agent() around them', () => {
  it('are runs of their own, and the doctor says what is in none of them', async () => {
    const doctor = await stage.reenact(['doctor', '--json', '--', 'node', 'calls-in-app-span.ts']);
    const { traps } = JSON.parse(doctor.stdout) as { traps: readonly { kind: string; detail: string }[] };
    expect(traps).toContainEqual(expect.objectContaining({ kind: 'no-agent', detail: 'model:openai.chat' }));
    const inOneRun = await stage.reenact(['doctor', '--json', '--', 'node', script]);
    expect(inOneRun.stdout).not.toContain('no-agent');
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assembleRecording } from '@reenact/dialects';
import type { Crossing } from '@reenact/trace-model';
import { readFixture } from '@reenact/trace-model/reading';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRun, replayAsJson } from '../../e2e/small-stage.ts';
import { type Stage, setStage } from '../../scenarios/stage.ts';

const agentFolder = new URL('agent', import.meta.url).pathname;

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ agentFolder, environment: () => ({ OTEL_SERVICE_NAME: 'clockwork' }) });
});
afterAll(() => stage.stop());

async function crossingsOf(id: string): Promise<readonly Crossing[]> {
  const file = join(stage.folder, `${id}.otlp.jsonl`);
  await stage.reenact(['export', id, '--out', file]);
  return assembleRecording(readFixture(readFileSync(file, 'utf8'), file)).crossings;
}

function millisecondsOf({ startTimeUnixNano, endTimeUnixNano }: Crossing): number {
  return Number(endTimeUnixNano - startTimeUnixNano) / 1e6;
}

/** When each began, milliseconds since the first did. */
function startsOf(crossings: readonly Crossing[]): Record<string, number> {
  const sorted = crossings.toSorted((left, right) => Number(left.startTimeUnixNano - right.startTimeUnixNano));
  const first = sorted[0]?.startTimeUnixNano ?? 0n;
  return Object.fromEntries(sorted.map((one) => [one.path, Number(one.startTimeUnixNano - first) / 1e6]));
}

function partsOf({ outcome }: Crossing): number[] {
  return 'chunks' in outcome ? outcome.chunks.map(({ offsetUs }) => offsetUs / 1_000) : [];
}

/** How many timers of each delay an agent set, and how many of them fired. */
function timersOf({ draws }: Crossing): Record<string, readonly [set: number, fired: number]> {
  const counts = Object.entries(draws?.timers ?? {}).map(([delay, triples]) => {
    const ends = triples.filter((_, index) => index % 3 === 1);
    return [delay, [ends.length, ends.filter((after) => after >= 0).length]] as const;
  });
  return Object.fromEntries(counts);
}

describe('a replay that is sent on', () => {
  it('holds its timers, the times of the run and the zero of its clocks, and so replays', {
    timeout: 120_000,
  }, async () => {
    const { run, recorded } = await recordRun(stage, 'clockwork.ts');
    const { report } = await replayAsJson(stage, run.rootSpanId, 'clockwork.ts', { flags: ['--export'] });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    const [id = ''] = report.exported?.traceIds ?? [];
    const [[root, words], [sentRoot, sentWords]] = [await crossingsOf(run.traceId), await crossingsOf(id)];
    if (!(root && words && sentRoot && sentWords)) throw new Error('A crossing is missing.');

    expect(timersOf(sentRoot)).toEqual(timersOf(root));
    expect(sentRoot.draws?.ticks).toMatchObject({
      timeOriginMs: root.draws?.ticks?.timeOriginMs,
      hrtimeNano: root.draws?.ticks?.hrtimeNano,
    });
    partsOf(sentWords).forEach((partMs, index) => {
      expect(Math.abs(partMs - (partsOf(words)[index] ?? 0))).toBeLessThan(3);
    });
    expect(Math.abs(millisecondsOf(sentRoot) - millisecondsOf(root))).toBeLessThan(30);
    expect(Number(sentRoot.endTimeUnixNano / 1_000_000n)).toBeLessThan(Date.now());
    expect(sentRoot.startTimeUnixNano).toBeGreaterThan(root.endTimeUnixNano);

    const again = await replayAsJson(stage, id, 'clockwork.ts');
    expect(again.report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(again.result.stderr).toContain(recorded.stdout.trim());
  });

  it('has the spans of another process among those around its start', { timeout: 120_000 }, async () => {
    const { run } = await recordRun(stage, 'helped.ts');
    const { report } = await replayAsJson(stage, run.rootSpanId, 'helped.ts', { flags: ['--export'] });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    const [id = ''] = report.exported?.traceIds ?? [];
    const recorded = startsOf(await crossingsOf(run.traceId));
    const sent = startsOf(await crossingsOf(id));
    expect(Object.keys(sent)).toEqual(Object.keys(recorded));
    expect(Object.keys(sent)).toHaveLength(5);
    for (const [path, startMs] of Object.entries(sent)) {
      expect(Math.abs(startMs - (recorded[path] ?? 0)), path).toBeLessThan(50);
    }
    expect((await replayAsJson(stage, id, 'helped.ts')).report).toMatchObject({
      verdict: 'reproduced',
      divergences: [],
    });
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assembleRecording } from '@reenact/dialects';
import type { RecordedDraws } from '@reenact/trace-model';
import { readFixture } from '@reenact/trace-model/reading';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRun, replayAsJson } from '../../e2e/small-stage.ts';
import { type Stage, setStage } from '../../scenarios/stage.ts';

const agentFolder = new URL('agent', import.meta.url).pathname;
const environment = { REENACT_RECORD_RANDOM_BYTES: '1' };

let stage: Stage;

beforeAll(async () => {
  stage = await setStage({ agentFolder, environment: () => ({ OTEL_SERVICE_NAME: 'tokens', ...environment }) });
});

afterAll(() => stage.stop());

async function drawsOf(id: string): Promise<RecordedDraws | undefined> {
  const file = join(stage.folder, `${id}.otlp.jsonl`);
  await stage.reenact(['export', id, '--out', file]);
  return assembleRecording(readFixture(readFileSync(file, 'utf8'), file)).roots[0]?.draws;
}

/** The names of work outside JavaScript, and how many pieces of each ended. */
function endedWork(draws: RecordedDraws | undefined): Record<string, number> {
  const counts = Object.entries(draws?.work ?? {}).map(([name, triples]) => {
    return [name, triples.filter((after, index) => index % 3 === 1 && after >= 0).length] as const;
  });
  return Object.fromEntries(counts);
}

describe('a replay that is exported', () => {
  it('holds the bytes it was served, each once, and its work outside JavaScript', { timeout: 120_000 }, async () => {
    const { run } = await recordRun(stage, 'tokens.ts');
    const { report } = await replayAsJson(stage, run.rootSpanId, 'tokens.ts', { flags: ['--export'] });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(report.notes.filter((text) => text.includes('outside JavaScript'))).toEqual([]);
    const [id = ''] = report.exported?.traceIds ?? [];
    const [recorded, exported] = [await drawsOf(run.traceId), await drawsOf(id)];
    expect(recorded?.['crypto.randomBytes']).toHaveLength(6);
    expect(exported?.['crypto.randomBytes']).toEqual(recorded?.['crypto.randomBytes']);
    expect(endedWork(recorded)).toMatchObject({ 'zlib.Zlib': 3, 'zlib.Zlib 0': 3, 'crypto.randomBytes': 3 });
    expect(endedWork(exported)).toEqual(endedWork(recorded));
    const again = await replayAsJson(stage, id, 'tokens.ts');
    expect(again.report).toMatchObject({ verdict: 'reproduced', divergences: [] });
  });
});

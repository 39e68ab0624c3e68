import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assembleRecording } from '@reenact/dialects';
import type { Recording } from '@reenact/trace-model';
import { readFixture } from '@reenact/trace-model/reading';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRun, replayAsJson } from '../../e2e/small-stage.ts';
import { type Stage, setStage } from '../../scenarios/stage.ts';

const agentFolder = new URL('agent', import.meta.url).pathname;

let stage: Stage;
let rootSpanId: string;
let traceId: string;

beforeAll(async () => {
  stage = await setStage({ agentFolder, environment: () => ({ OTEL_SERVICE_NAME: 'lottery' }) });
  const { run } = await recordRun(stage, 'lottery.ts');
  ({ rootSpanId, traceId } = run);
});

afterAll(() => stage.stop());

async function exported(id: string): Promise<Recording> {
  const file = join(stage.folder, `${id}.otlp.jsonl`);
  if (!existsSync(file)) await stage.reenact(['export', id, '--out', file]);
  return assembleRecording(readFixture(readFileSync(file, 'utf8'), file));
}

describe('the spans of a replay', () => {
  it('are a trace of their own, each saying how it was answered, linked to the recorded span', async () => {
    const { report, result } = await replayAsJson(stage, rootSpanId, 'lottery.ts', { flags: ['--export'] });
    expect(report).toMatchObject({
      verdict: 'reproduced',
      exported: { traceIds: [expect.stringMatching(/^[0-9a-f]{32}$/)] },
    });
    expect(result.stderr).not.toContain('for real');
    const [id = ''] = report.exported?.traceIds ?? [];
    expect(id).not.toBe(traceId);
    const [replayed, original] = [await exported(id), await exported(traceId)];
    expect(replayed.crossings.map(({ path, attributes }) => [path, attributes.get('reenact.mode')])).toEqual([
      ['agent:lottery', 'rerun'],
      ['agent:lottery/tool:draw', 'stub'],
      ['agent:lottery/tool:announce', 'stub'],
      ['agent:lottery/tool:pay', 'stub'],
    ]);
    for (const { spanId, path } of replayed.crossings) {
      const link = replayed.spans.get(spanId)?.links?.[0];
      expect(link).toMatchObject({ traceId });
      expect(original.bySpanId.get(link?.spanId ?? '')?.path).toBe(path);
    }
  });

  it('go where the flag says, and nowhere without it', async () => {
    const { report } = await replayAsJson(stage, rootSpanId, 'lottery.ts');
    expect(report.exported).toBeUndefined();
    const lost = await replayAsJson(stage, rootSpanId, 'lottery.ts', { flags: ['--export', 'http://127.0.0.1:9'] });
    expect(lost.report).toMatchObject({ verdict: 'reproduced', exported: { url: 'http://127.0.0.1:9/v1/traces' } });
    expect(lost.result.stderr).toContain('could not be delivered');
  });

  it('are not said to have been sent where they were not, with the file that holds them', async () => {
    const away = ['--export', 'http://127.0.0.1:9'];
    const { report } = await replayAsJson(stage, rootSpanId, 'lottery.ts', { flags: away });
    expect(report.exported?.undelivered).toEqual({ spans: 4, keptIn: [expect.stringMatching(/spans\.otlp\.jsonl$/)] });
    const [kept = ''] = report.exported?.undelivered?.keptIn ?? [];
    expect(assembleRecording(readFixture(readFileSync(kept, 'utf8'), kept)).crossings).toHaveLength(4);
    const { stdout } = await stage.reenact(['replay', rootSpanId, ...away, '--', 'node', 'lottery.ts']);
    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(text).toContain('4 spans not delivered to http://127.0.0.1:9/v1/traces.');
    expect(text).not.toContain('were sent on');
  });
});

describe('a fork', () => {
  it('goes live from its crossing on, is kept with its lineage, and can be replayed offline', async () => {
    const environment = { LOTTERY_SUFFIX: 'loses' };
    const flags = ['--fork', 'tool:announce'];
    const { report, result } = await replayAsJson(stage, rootSpanId, 'lottery.ts', { flags, environment });
    expect(report.edits).toMatchObject([{ policy: 'fork', path: 'agent:lottery/tool:announce' }]);
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1, counts: { live: 1, stubbed: 2 } });
    expect(report.divergences.map(({ kind, causedBy }) => [kind, causedBy?.divergence])).toEqual([
      ['output-changed', 'e1'],
      ['outcome-changed', 'e1'],
    ]);
    expect(result.stderr).not.toContain('for real');

    const [id = ''] = report.exported?.traceIds ?? [];
    const fork = await exported(id);
    expect(Object.fromEntries(fork.roots[0]?.attributes ?? [])).toMatchObject({
      'reenact.fork.of.trace': traceId,
      'reenact.fork.of.span': report.edits[0]?.candidate?.spanId,
    });
    expect((await stage.reenact(['show', id])).stdout).toContain(`fork of trace ${traceId}`);

    const again = await replayAsJson(stage, id, 'lottery.ts');
    expect(again.report.divergences).toEqual([]);
    expect(again.report).toMatchObject({ verdict: 'reproduced', exitCode: 0, counts: { live: 0, stubbed: 3 } });
    expect(again.report.outcome?.replayed).toContain('loses');
  });

  it('never makes a write happen that the plan does not name', async () => {
    const environment = { LOTTERY_PAYS_TWICE: '1' };
    const fork = ['--fork', 'tool:announce'];
    const refused = await replayAsJson(stage, rootSpanId, 'lottery.ts', { flags: fork, environment });
    expect(refused.report).toMatchObject({ verdict: 'forbidden', exitCode: 3 });
    expect(refused.report.divergences.find(({ kind }) => kind === 'forbidden')).toMatchObject({
      path: 'agent:lottery/tool:pay',
      next: expect.stringContaining('--live tool:pay'),
    });
    expect(refused.result.stderr).not.toContain('for real');

    const flags = [...fork, '--live', 'tool:pay'];
    const named = await replayAsJson(stage, rootSpanId, 'lottery.ts', { flags, environment });
    expect(named.result.stderr).toContain('paid 2 for real');
    expect(named.report.exitCode).toBe(1);
  });

  it.each([
    ['names nothing', ['--fork', 'tool:anounce'], /Did you mean "tool:announce"/],
    ['names several crossings', ['--fork', 'tool:*'], /names 3 crossings/],
    ['names the run itself', ['--fork', 'agent:lottery'], /names the run itself/],
  ])('is refused where it %s', async (_, flags, message) => {
    const { exitCode, stderr, stdout } = await stage.reenact([
      'replay',
      rootSpanId,
      ...flags,
      '--',
      'node',
      'lottery.ts',
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

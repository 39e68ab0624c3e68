import { ATTR_GEN_AI_OPERATION_NAME } from '@reenact/semconv/gen-ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRun } from '../../e2e/small-stage.ts';
import { type Stage, setStage } from '../../scenarios/stage.ts';
import { type Jaeger, startJaeger } from './jaeger-peer.ts';
import { peerPath, peerVersion } from './peer.ts';
import { type PeerFolder, peerFolder } from './running-peer.ts';

const program = peerPath('jaeger');
const agentFolder = new URL('../../scenarios/small/agent', import.meta.url).pathname;

let folder: PeerFolder;
let jaeger: Jaeger;
beforeAll(async () => {
  if (program === undefined) return;
  folder = peerFolder();
  jaeger = await startJaeger(program, folder);
});
afterAll(async () => {
  await jaeger?.stop();
  folder?.remove();
});

async function stageForwarding(flag: string): Promise<Stage> {
  return setStage({
    agentFolder,
    environment: () => ({ OTEL_SERVICE_NAME: 'small' }),
    collectFlags: [flag, `jaeger=${jaeger.otlpUrl}`],
  });
}

describe.skipIf(program === undefined)(`a real Jaeger (${peerVersion('jaeger')})`, () => {
  it('shows a forwarded run by the same ids, without payloads, and the run replays here', async () => {
    const stage = await stageForwarding('--forward');
    try {
      const { run } = await recordRun(stage, 'parallel.ts');
      const spans = await jaeger.trace(run.traceId, run.spanCount);
      expect(spans).toHaveLength(run.spanCount);
      expect(spans.map(({ spanID }) => spanID)).toContain(run.rootSpanId);
      const keys = spans.flatMap(({ tags }) => tags.map(({ key }) => key));
      expect(keys).toContain(ATTR_GEN_AI_OPERATION_NAME);
      expect(keys.filter((key) => /^reenact\.(input|output|exchanges|error)$/.test(key))).toEqual([]);
      expect((await stage.reenact(['replay', run.rootSpanId, '--', 'node', 'parallel.ts'])).exitCode).toBe(0);
    } finally {
      await stage.stop();
    }
  });

  it('gets everything where it is asked to', async () => {
    const stage = await stageForwarding('--forward-full');
    try {
      const { run } = await recordRun(stage, 'parallel.ts');
      const spans = await jaeger.trace(run.traceId, run.spanCount);
      expect(spans.flatMap(({ tags }) => tags.map(({ key }) => key))).toContain('reenact.output');
    } finally {
      await stage.stop();
    }
  });
});

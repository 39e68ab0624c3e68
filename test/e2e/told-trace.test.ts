import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, setSmallStage } from './small-stage.ts';

const caseMs = 60_000;
const command = ['--import', 'reenact/register', 'trace-telling-service.ts'];
const brought = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

let stage: Stage;
beforeAll(async () => {
  stage = await setSmallStage({});
});
afterAll(() => stage.stop());

interface Recorded {
  readonly rootSpanId: string;
  readonly traceId: string;
}

/** Has the service answer one request, and gives its run, which lies in the trace that the answer named. */
async function recordRequest(environment: NodeJS.ProcessEnv, headers: Record<string, string>): Promise<Recorded> {
  const service = await stage.start(command, environment);
  const { port } = JSON.parse(service.firstLine) as { port: number };
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers });
  const { traceId } = (await response.json()) as { traceId: string };
  await service.stop();
  const run = (await listRuns(stage)).find((each) => each.traceId === traceId);
  expect(run?.replayability).toMatchObject({ verdict: 'full' });
  return { rootSpanId: run?.rootSpanId ?? '', traceId };
}

describe('a service that tells its caller and its tools under which trace it works', () => {
  it.each<[string, NodeJS.ProcessEnv, Record<string, string>]>([
    ['with the spans of the hook', {}, {}],
    ['in a span of its own', { OWN_PROVIDER: '1' }, {}],
    ['in the trace of its caller', {}, { traceparent: `00-${brought.traceId}-${brought.spanId}-01` }],
  ])(
    'is replayed as it was, in a trace of the replay: %s',
    async (_name, environment, headers) => {
      const { rootSpanId, traceId } = await recordRequest(environment, headers);
      const { stdout } = await stage.reenact(['replay', rootSpanId, '--json', '--', 'node', ...command], environment);
      const report = JSON.parse(stdout) as ReplayReport;
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [], counts: { compared: 2 } });
      expect(report.notes.filter((note) => note.includes('the id of its trace'))).toHaveLength(1);
      expect(report.outcome?.replayed).toContain(traceId);
    },
    caseMs,
  );
});

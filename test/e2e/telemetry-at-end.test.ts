import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'telemetry-at-end.ts';
let server: Server;
let stage: Stage;
let received: string[] = [];
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stage = await setSmallStage();
});

afterAll(async () => {
  await stage.stop();
  server.closeAllConnections();
  server.close();
});

async function record(client: string): Promise<{ runs: readonly RunSummary[]; sent: readonly string[] }> {
  const known = new Set((await listRuns(stage)).map(({ rootSpanId }) => rootSpanId));
  received = [];
  const environment = { CLIENT: client, TELEMETRY_URL: url };
  const { exitCode, stderr } = await stage.node(['--import', 'reenact/register', script], environment);
  expect([exitCode, stderr]).toEqual([0, '']);
  const sent = received;
  received = [];
  return { runs: (await listRuns(stage)).filter(({ rootSpanId }) => !known.has(rootSpanId)), sent };
}

function replay({ rootSpanId }: RunSummary, environment: NodeJS.ProcessEnv) {
  return replayAsJson(stage, rootSpanId, script, { environment: { TELEMETRY_URL: url, ...environment } });
}

describe('telemetry of a run that is drawn and sent once it has ended', () => {
  it.each(['own', 'posthog', 'langfuse'])('replays as it was recorded, and sends nothing: %s', async (client) => {
    const { runs, sent } = await record(client);
    expect(sent).not.toEqual([]);
    expect(runs.map(({ name }) => name)).toContain('agent:asked');
    for (const run of runs) {
      expect(run.replayability).toEqual({ verdict: 'full', missing: [] });
      const { report } = await replay(run, { CLIENT: client });
      expect(report, run.name).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    }
    expect(received).toEqual([]);
  });

  it('differs where the code has changed that draws there', async () => {
    const [run] = (await record('own')).runs;
    if (run === undefined) throw new Error('Nothing was recorded.');
    const { report } = await replay(run, { CLIENT: 'own', DRAWS_MORE: 'answered' });
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1 });
    expect(report.divergences[0]?.difference?.[0]).toMatchObject({ path: expect.stringMatching(/uuid$/) });
    expect(received).toEqual([]);
  });
});

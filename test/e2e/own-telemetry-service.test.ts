import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { type EchoProvider, startEchoProvider } from './provider.ts';
import { listRuns, setSmallStage } from './small-stage.ts';

const caseMs = 60_000;
const token = 'Bearer service-secret';
let provider: EchoProvider;
let quotes: Server;
let quoteRequests = 0;
let stage: Stage;

beforeAll(async () => {
  provider = await startEchoProvider();
  quotes = createServer((_request, response) => {
    quoteRequests += 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"price":190}');
  });
  await new Promise<void>((resolve) => quotes.listen(0, '127.0.0.1', resolve));
  const quotesUrl = `http://127.0.0.1:${(quotes.address() as AddressInfo).port}`;
  stage = await setSmallStage({ ...provider.environment, QUOTES_URL: quotesUrl, SERVICE_TOKEN: 'service-secret' });
});

afterAll(async () => {
  await stage.stop();
  await provider.stop();
  quotes.closeAllConnections();
  quotes.close();
});

/** Has the service answer one request, and gives its run. */
async function recordRequest(command: readonly string[], environment: NodeJS.ProcessEnv): Promise<string> {
  const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
  const service = await stage.start(command, environment);
  const { port } = JSON.parse(service.firstLine) as { port: number };
  const response = await fetch(`http://127.0.0.1:${port}/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: token },
    body: '{"symbol":"ACME"}',
  });
  expect([response.status, await response.json()]).toEqual([200, { advice: expect.any(String), price: 190 }]);
  await service.stop();
  const run = (await listRuns(stage)).find(({ traceId }) => !known.has(traceId));
  return run?.rootSpanId ?? '';
}

describe('a service whose own OpenTelemetry is required in front of every hook', () => {
  it.each([
    ['with HTTP instrumented by ours alone', {}],
    ["with somebody else's instrumentation around ours", { LAYERED: '1' }],
  ])(
    'is entered by its request and replayed, each call once: %s',
    async (_name, environment) => {
      const command = ['--require', './own-telemetry.cjs', 'http-service.ts'];
      const id = await recordRequest(command, environment);
      const asked = quoteRequests;
      const flags = ['--header', `authorization: ${token}`, '--json'];
      const replayed = await stage.reenact(['replay', id, ...flags, '--', 'node', ...command], environment);
      const report = JSON.parse(replayed.stdout) as ReplayReport;
      expect(report.notes.join()).not.toContain('before it listened');
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [], counts: { refused: 0 } });
      expect(report.counts.stubbed).toBeGreaterThan(1);
      expect(quoteRequests).toBe(asked);
    },
    caseMs,
  );
});

describe('a service whose own OpenTelemetry makes more spans in its first request than in others', () => {
  it(
    'is replayed from each of them alone: what spans draw is no part of a run',
    async () => {
      const command = ['--import', 'reenact/register', 'spanning-service.ts'];
      const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
      const service = await stage.start(command, {});
      const { port } = JSON.parse(service.firstLine) as { port: number };
      for (const path of ['first', 'second']) await (await fetch(`http://127.0.0.1:${port}/${path}`)).text();
      await service.stop();
      const runs = (await listRuns(stage)).filter(({ traceId }) => !known.has(traceId));
      expect(runs.map(({ replayability }) => replayability?.verdict)).toEqual(['full', 'full']);
      for (const { rootSpanId } of runs) {
        const { stdout } = await stage.reenact(['replay', rootSpanId ?? '', '--json', '--', 'node', ...command], {});
        const report = JSON.parse(stdout) as ReplayReport;
        expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
        expect(report.notes.join()).not.toContain('drawn more often');
      }
    },
    caseMs,
  );
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { type EchoProvider, startEchoProvider } from './provider.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

const token = 'Bearer service-secret';
let provider: EchoProvider;
let quotes: Server;
let quoteRequests = 0;
let stage: Stage;
let rootSpanId: string;
let servicePort: number;

async function ask(port: number): Promise<unknown> {
  const origin = `http://localhost:${port}`;
  const response = await fetch(`${origin}/ask?lang=en`, {
    method: 'POST',
    // A browser names the origin of the page, and a service may hold it against the host it was asked under.
    headers: { 'content-type': 'application/json', authorization: token, origin },
    body: '{"symbol":"ACME"}',
  });
  return [response.status, await response.json()];
}

beforeAll(async () => {
  provider = await startEchoProvider();
  quotes = createServer((_request, response) => {
    quoteRequests += 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"price":190}');
  });
  await new Promise<void>((resolve) => quotes.listen(0, '127.0.0.1', resolve));
  const quotesUrl = `http://127.0.0.1:${(quotes.address() as AddressInfo).port}`;
  stage = await setSmallStage({ ...provider.environment, QUOTES_URL: quotesUrl, SERVICE_TOKEN: 'service-secret' });
  const service = await stage.start(['--import', 'reenact/register', 'http-service.ts']);
  const { port } = JSON.parse(service.firstLine) as { port: number };
  expect(await ask(port)).toEqual([200, { advice: 'Hello. The provider answers.', price: 190 }]);
  await service.stop();
  servicePort = port;
  const [run] = await listRuns(stage);
  rootSpanId = run?.rootSpanId ?? '';
  expect(run).toMatchObject({ name: 'agent:POST /ask', crossingCount: 4, replayability: { verdict: 'full' } });
});

afterAll(async () => {
  await stage.stop();
  await provider.stop();
  quotes.closeAllConnections();
  quotes.close();
});

function replay(environment: NodeJS.ProcessEnv, flags: readonly string[]): Promise<ReplayReport> {
  return replayAsJson(stage, rootSpanId, 'http-service.ts', { environment, flags }).then(({ report, result }) => {
    expect(result.exitCode).toBe(report.exitCode);
    return report;
  });
}

const withToken = ['--header', `authorization: ${token}`];

describe('a service that answered one request', () => {
  it('answers it again as it did, without the provider and without the quotes', async () => {
    const before = [provider.requestCount(), quoteRequests];
    const report = await replay({}, withToken);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [], agentExit: 'exit code 0' });
    expect(report.counts).toMatchObject({ rerun: 1, stubbed: 2 });
    expect([provider.requestCount(), quoteRequests]).toEqual(before);
  });

  it('is asked for the command that starts it, and for no function: none stands for a request', async () => {
    const { exitCode, stderr } = await stage.reenact(['replay', rootSpanId]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('-- node http-service.ts') });
    expect(stderr).not.toContain('function');
  });

  it('answers over the recorded quote when its tool runs live', async () => {
    const before = quoteRequests;
    const report = await replay({}, [...withToken, '--live', 'tool:get_quote']);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
    expect(report.counts).toMatchObject({ live: 1, stubbed: 2 });
    expect(quoteRequests).toBe(before);
  });

  it('is told apart when it answers something else', async () => {
    const report = await replay({ GREETING: 'Good morning.' }, withToken);
    expect(report.exitCode).toBe(1);
    expect(report.divergences).toMatchObject([
      {
        kind: 'outcome-changed',
        path: 'agent:POST /ask',
        difference: [
          {
            path: '$.body.json.advice',
            recorded: '"Hello. The provider answers."',
            live: '"Good morning. The provider answers."',
          },
        ],
      },
    ]);
  });

  it('says which credential the request was sent without', async () => {
    const report = await replay({}, []);
    expect(report.exitCode).toBe(2);
    expect(JSON.stringify(report)).toMatch(/without its recorded authorization, which was redacted/);
  });
});

describe('a command that never listens', () => {
  it('is no reproduction, and the report says why', async () => {
    const { report, result } = await replayAsJson(stage, rootSpanId, 'untouched.ts');
    expect(result.exitCode).toBe(2);
    expect(JSON.stringify(report)).toMatch(/ended before it listened/);
  });

  it('is told of whoever has its port, as the service that was recorded and still runs', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(servicePort, '127.0.0.1', resolve));
    const { report } = await replayAsJson(stage, rootSpanId, 'untouched.ts');
    other.close();
    expect(report.notes.join()).toContain(`Something else listens on its port ${servicePort}`);
  });
});

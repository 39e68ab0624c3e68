import http2, { type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { type EchoProvider, startEchoProvider } from './provider.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

const folder = new URL('../conformance/receiver/certificates/', import.meta.url).pathname;
const certificates = { CERTIFICATE: `${folder}server.pem`, CERTIFICATE_KEY: `${folder}server-key.pem` };
const script = 'http2-service.ts';
const question = '{"symbol":"ACME"}';
const headers = { 'content-type': 'application/json' };
let provider: EchoProvider;
let stage: Stage;

/** By HTTP/2: what was answered, how many things were pushed, and the trailers. */
async function askByStream(origin: string): Promise<unknown[]> {
  const session = http2.connect(origin, { rejectUnauthorized: false });
  const pushed: Promise<string>[] = [];
  session.on('stream', (stream: ClientHttp2Stream) => pushed.push(text(stream)));
  // Asked under a name, as behind a proxy, by a page of the same origin.
  const asked = { ':authority': 'agent.example', origin: 'https://agent.example' };
  const stream = session.request({ ':method': 'POST', ':path': '/ask', ...asked, ...headers });
  let trailers: IncomingHttpHeaders = {};
  stream.on('trailers', (given) => {
    trailers = given;
  });
  stream.end(question);
  const body = JSON.parse(await text(stream)) as unknown;
  const seen = [body, await Promise.all(pushed), Object.keys(trailers)];
  session.close();
  return seen;
}

/** By HTTP/1.1, of a server that understands both. */
function askByMessage(origin: string): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const request = https.request(`${origin}/ask`, { method: 'POST', headers, rejectUnauthorized: false });
    request.on('response', (response) => void text(response).then((body) => resolve([JSON.parse(body), [], []])));
    request.on('error', reject).end(question);
  });
}

interface Served {
  readonly server: string;
  readonly scheme: 'http' | 'https';
  readonly version: '1.1' | '2';
  readonly ask: (origin: string) => Promise<unknown[]>;
  readonly pushed?: readonly string[];
  readonly trailers?: readonly string[];
}

const served: readonly Served[] = [
  {
    server: 'stream',
    scheme: 'http',
    version: '2',
    ask: askByStream,
    pushed: ['p { color: red }'],
    trailers: ['x-length'],
  },
  { server: 'request', scheme: 'https', version: '2', ask: askByStream },
  { server: 'request', scheme: 'https', version: '1.1', ask: askByMessage },
  { server: 'fastify', scheme: 'https', version: '2', ask: askByStream },
  { server: 'hono', scheme: 'https', version: '2', ask: askByStream },
];

beforeAll(async () => {
  provider = await startEchoProvider();
  stage = await setSmallStage({ ...provider.environment, ...certificates });
});

afterAll(async () => {
  await stage.stop();
  await provider.stop();
});

/** Records one request and gives the run the collector then has. */
async function recordedRun({ server, scheme, ask, pushed = [], trailers = [] }: Served): Promise<string> {
  const before = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
  const service = await stage.start(['--import', 'reenact/register', script], { SERVER: server });
  const { port } = JSON.parse(service.firstLine) as { port: number };
  const seen = await ask(`${scheme}://127.0.0.1:${port}`);
  expect(seen).toMatchObject([{ advice: expect.stringContaining('Hello.') }, pushed, trailers.map(String)]);
  await service.stop();
  const runs = (await listRuns(stage)).filter(({ traceId }) => !before.has(traceId));
  expect(runs).toMatchObject([{ name: 'agent:POST /ask', crossingCount: 3, replayability: { verdict: 'full' } }]);
  return runs[0]?.rootSpanId ?? '';
}

function replay(rootSpanId: string, environment: NodeJS.ProcessEnv): Promise<ReplayReport> {
  return replayAsJson(stage, rootSpanId, script, { environment }).then(({ report, result }) => {
    expect(result.exitCode).toBe(report.exitCode);
    return report;
  });
}

describe.each(served)('a request by HTTP/$version to a server made as "$server"', (row) => {
  it('is answered again as it was, without the provider, and told apart where it is not', async () => {
    const rootSpanId = await recordedRun(row);
    const before = provider.requestCount();
    const report = await replay(rootSpanId, { SERVER: row.server });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [], agentExit: 'exit code 0' });
    expect(report.counts).toMatchObject({ rerun: 1, stubbed: 2 });
    // Fastify reads the clock and draws when it starts, which is outside of any run.
    expect(report.notes.join()).not.toMatch(/recorded request|more often/);
    const changed = await replay(rootSpanId, { SERVER: row.server, GREETING: 'Good morning.' });
    expect(changed.exitCode).toBe(1);
    expect(changed.divergences).toMatchObject([{ kind: 'outcome-changed', path: 'agent:POST /ask' }]);
    expect(provider.requestCount()).toBe(before);
  });
});

describe('a request by HTTP/2', () => {
  it('is sent by HTTP/1.1 to a service that speaks nothing else now, and the report says so', async () => {
    const rootSpanId = await recordedRun(served[1] as Served);
    const report = await replay(rootSpanId, { SERVER: 'http1' });
    expect(report).toMatchObject({ exitCode: 0, divergences: [] });
    expect(report.notes.join()).toMatch(/came by HTTP\/2 and was sent by HTTP\/1\.1/);
  });
});

import http, { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { InMemorySpanExporter, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { assembleRecording } from '@reenact/dialects';
import { gate, installDedicatedPlayer, RecordingProcessor } from '@reenact/instrumentation';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { decodeTracesJson } from '@reenact/otlp';
import { buildReport, makePlan, RecordedPlayer, type ReportInput } from '@reenact/replay';
import type { Recording, ReplayReport } from '@reenact/trace-model';
import { tool } from 'reenact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Framework, frameworks, type Handle } from './framework-servers.ts';

interface Answer {
  readonly status: number | undefined;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** Taken before anything is patched: the client of these tests is nobody's agent. */
const { request: send } = http;
let instrumentation: HttpInstrumentation;
let upstream: Server;
let upstreamRequests = 0;
const seenSpans: (string | undefined)[] = [];

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  instrumentation = new HttpInstrumentation({ ignore: ({ url }) => url?.startsWith('/quotes/') === true });
  upstream = createServer((message, response) => {
    upstreamRequests += 1;
    const isFine = message.url === '/quotes/ACME';
    response.writeHead(isFine ? 200 : 503, { 'content-type': 'application/json' });
    response.end(isFine ? '{"price":190}' : '{"error":"half writ');
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  instrumentation.disable();
  context.disable();
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
});

/** The agent: a tool that asks over HTTP. */
const quote = tool('get_quote', async (symbol: string): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${portOf(upstream)}/quotes/${symbol}`);
  const { price } = (await response.json()) as { price: number };
  return price;
});
const handle: Handle = async ({ symbol }) => {
  seenSpans.push(trace.getSpan(context.active())?.spanContext().spanId);
  return { advice: `${symbol} costs ${await quote(symbol)}` };
};

function ask(port: number, symbol: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer secret' };
    const made = send({ host: '127.0.0.1', port, path: '/ask/7?a=1', method: 'POST', headers, agent: false });
    made.on('error', reject).on('response', (response) => {
      const contentType = response.headers['content-type'];
      text(response).then((body) => resolve({ status: response.statusCode, contentType, body }), reject);
    });
    made.end(JSON.stringify({ symbol }));
  });
}

async function withServer<Result>(framework: Framework, use: (port: number) => Promise<Result>): Promise<Result> {
  const server = await framework(handle);
  try {
    return await use(portOf(server));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function record(framework: Framework, symbol: string): Promise<{ recording: Recording; answer: Answer }> {
  const exporter = new InMemorySpanExporter();
  const recorder = new RecordingProcessor(exporter);
  gate.configure({ tracerProvider: new NodeTracerProvider({ spanProcessors: [recorder] }), recorder });
  try {
    const answer = await withServer(framework, (port) => ask(port, symbol));
    await recorder.forceFlush();
    const bytes = JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans()) ?? new Uint8Array();
    const decoded = decodeTracesJson(Buffer.from(bytes).toString('utf8'));
    if (!decoded.ok) throw new TypeError('the recording is not OTLP');
    return { recording: assembleRecording(decoded.data), answer };
  } finally {
    gate.configure({ recorder: undefined, tracerProvider: undefined });
  }
}

async function replay(
  framework: Framework,
  recording: Recording,
  symbol: string,
  live: readonly string[] = [],
): Promise<{ report: ReplayReport; answer: Answer }> {
  const rootSpanId = recording.roots[0]?.spanId ?? '';
  const events: ReportInput['events'][number][] = [];
  const sink = {
    write: (event: ReportInput['events'][number]['event']) =>
      void events.push({ processId: '1', atUs: events.length, event }),
  };
  const plan = makePlan({ live }, recording);
  const replayId = 'replay-1';
  const player = new RecordedPlayer({ recording, rootSpanId, plan, replayId, process: 'dedicated', sink });
  const uninstall = installDedicatedPlayer(player);
  try {
    const answer = await withServer(framework, (port) => ask(port, symbol));
    return {
      answer,
      report: buildReport({ recording, rootSpanId, replayId, process: 'dedicated', events, durationMs: 1 }),
    };
  } finally {
    uninstall();
  }
}

describe.each(Object.entries(frameworks))('a service on %s', (_name, framework) => {
  it('is one run, whose context reaches its code, and replays without asking anybody', async () => {
    seenSpans.length = 0;
    const { recording, answer } = await record(framework, 'ACME');
    expect(answer).toMatchObject({ status: 200, body: '{"advice":"ACME costs 190"}' });
    expect(recording.crossings.map(({ path }) => path)).toEqual([
      'agent:POST /ask/7',
      'agent:POST /ask/7/tool:get_quote',
      expect.stringMatching(/^agent:POST \/ask\/7\/tool:get_quote\/http:GET 127\.0\.0\.1:\d+$/),
    ]);
    expect(seenSpans).toEqual([recording.roots[0]?.spanId]);
    expect(recording.replayability).toEqual({ verdict: 'full', missing: [] });
    expect(JSON.stringify(recording.data)).not.toContain('Bearer secret');
    const before = upstreamRequests;
    const replayed = await replay(framework, recording, 'ACME');
    expect(replayed.answer).toEqual(answer);
    expect(replayed.report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect(upstreamRequests).toBe(before);
  });

  it('fails again as it failed, its tool live over the recorded answer', async () => {
    const { recording, answer } = await record(framework, 'GONE');
    expect(answer).toMatchObject({ status: 500, body: expect.stringContaining('SyntaxError') });
    const before = upstreamRequests;
    const { answer: again, report } = await replay(framework, recording, 'GONE', ['tool:get_quote']);
    expect(again).toEqual(answer);
    expect(report).toMatchObject({ verdict: 'reproduced', counts: { live: 1, stubbed: 1, rerun: 1 } });
    expect(upstreamRequests).toBe(before);
  });

  it('is told apart when it is asked something else', async () => {
    const { recording } = await record(framework, 'ACME');
    const { report } = await replay(framework, recording, 'OTHER');
    expect(report.exitCode).toBe(1);
    expect(report.divergences.map(({ kind, difference }) => [kind, difference?.[0]?.path])).toEqual([
      ['input-changed', '$.body.json.symbol'],
      ['input-changed', '$[0]'],
      ['outcome-changed', expect.stringContaining('$.body.json.advice')],
    ]);
  });
});

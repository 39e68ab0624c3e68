import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { assembleRecording } from '@reenact/dialects';
import { gate, RecordingProcessor } from '@reenact/instrumentation';
import { instrumentOpenAI } from '@reenact/instrumentation-openai';
import { decodeTracesJson, type ResourceSpans } from '@reenact/otlp';
import type { Recording } from '@reenact/trace-model';
import OpenAI, { type ClientOptions } from 'openai';
import { agent } from 'reenact';
import { type Script, startScriptedProvider } from './scripted-provider.ts';

/** What an agent does with a client: the code that is recorded, and then asked again. */
export type Act = (client: OpenAI) => Promise<unknown>;

/** A receiver of OTLP/JSON on loopback that keeps what it gets. */
async function startSink(): Promise<{ url: string; groups: ResourceSpans[]; stop: () => Promise<void> }> {
  const groups: ResourceSpans[] = [];
  const server = createServer(async (message, response) => {
    const parts: Buffer[] = [];
    for await (const part of message) parts.push(part as Buffer);
    const decoded = decodeTracesJson(Buffer.concat(parts).toString('utf8'));
    if (decoded.ok) groups.push(...decoded.data.resourceSpans);
    response.writeHead(decoded.ok ? 200 : 400, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, groups, stop };
}

/**
 * Records one act of an agent with the real gate and exporter against a scripted provider, whose base URL it is given, and gives
 * the recording as it arrived. What the act throws belongs to it and is left out.
 */
export async function recordAt(script: Script, act: (baseUrl: string) => Promise<unknown>): Promise<Recording> {
  const [provider, sink] = [await startScriptedProvider(script), await startSink()];
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const recorder = new RecordingProcessor(new OTLPTraceExporter({ url: sink.url }));
  gate.configure({ tracerProvider: new NodeTracerProvider({ spanProcessors: [recorder] }), recorder });
  try {
    await agent('asker', () => act(provider.baseUrl))().catch(() => undefined);
    await recorder.shutdown();
    return assembleRecording({ resourceSpans: sink.groups });
  } finally {
    gate.configure({ recorder: undefined, tracerProvider: undefined });
    context.disable();
    await Promise.all([provider.stop(), sink.stop()]);
  }
}

/** Records one act of an agent with the real client of the openai package. */
export function recordAct(script: Script, act: Act, options: ClientOptions = {}): Promise<Recording> {
  return recordAt(script, (baseUrl) => act(instrumentOpenAI(clientOf(baseUrl, options))));
}

/** A client of the openai package that says nothing and has no key to lose. */
export function clientOf(baseUrl: string, options: ClientOptions = {}): OpenAI {
  return new OpenAI({ baseURL: baseUrl, apiKey: 'none', logLevel: 'off', ...options });
}

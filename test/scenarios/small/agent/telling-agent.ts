import { request } from 'node:http';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { agent, tool } from 'reenact';

// As an app that is watched: its exporters of every protocol, and an agent of another vendor, which has no backend to reach.
const { HTTP_URL = '', GRPC_URL = '' } = process.env;
const provider = new NodeTracerProvider({
  spanProcessors: [
    new JsonExporter({ url: `${HTTP_URL}/json/v1/traces` }),
    new ProtobufExporter({ url: `${HTTP_URL}/protobuf/v1/traces` }),
    new GrpcExporter({ url: GRPC_URL }),
  ].map((exporter) => new BatchSpanProcessor(exporter)),
});
const span = (name: string): void => provider.getTracer('own').startSpan(name).end();

/** As the agent of another vendor sends, named as that names itself. */
function tellVendor(path: string, userAgent: string): Promise<string> {
  const headers = { 'user-agent': userAgent };
  return new Promise((resolve) => {
    request(`${HTTP_URL}${path}`, { method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve('told'));
    })
      .on('error', ({ message }) => resolve(message))
      .end('{}');
  });
}

const look = tool('look', async () => {
  span('in the tool');
  await provider.forceFlush();
  return 7;
});

const run = agent('watched', async () => {
  span('in the run');
  return look();
});

const answer = await run();
const told = await tellVendor('/agent_listener', 'NewRelic-NodeAgent/13.0.0');
const toldElastic = await tellVendor('/intake/v2/events', 'apm-agent-nodejs/4.18.0 (small)');
// Rejects where one of them fails, as every program does that waits for its telemetry before it ends.
await provider.shutdown();
console.log(JSON.stringify({ answer, told, toldElastic }));

// A service whose own OpenTelemetry makes more spans while it answers its first request, as Next.js does where it loads the module of a route.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { trace } from '@opentelemetry/api';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { tool } from 'reenact';

new NodeTracerProvider().register();
const tracer = trace.getTracer('framework');
const look = tool('look', async (): Promise<number> => Math.random());
let isLoaded = false;

function load(): void {
  if (isLoaded) return;
  isLoaded = true;
  for (const name of ['load route module', 'evaluate', 'resolve']) tracer.startSpan(name).end();
}

const server = createServer((_request, response) => {
  load();
  tracer.startActiveSpan('handle', async (span) => {
    const seen = await look();
    const body = { seen, dice: Math.random(), at: Date.now(), ticks: performance.now() };
    span.end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => server.close());

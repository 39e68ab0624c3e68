// A service that tells its caller and its tools under which trace it works, with the spans of the hook or, with OWN_PROVIDER, in one of its own.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { trace } from '@opentelemetry/api';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { tool } from 'reenact';

const hasProvider = process.env.OWN_PROVIDER !== undefined;
if (hasProvider) new NodeTracerProvider().register();

const note = tool('note', async (_order: unknown): Promise<string> => 'noted');

async function handled(): Promise<unknown> {
  const { traceId = '', spanId = '' } = trace.getActiveSpan()?.spanContext() ?? {};
  await note({ traceId, ...(!hasProvider && { traceparent: `00-${traceId}-${spanId}-01` }) });
  return { traceId, help: `https://help.example/?trace=${traceId}` };
}

const server = createServer((_request, response) => {
  const answered = hasProvider ? trace.getTracer('app').startActiveSpan('handle', handled) : handled();
  void Promise.resolve(answered).then((body) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
  );
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => server.close());

// An agent that asks a peer (PEER_URL) past what is patched, as SENDS says: 'made' makes a ClientRequest itself, 'taken' sends by what it took out of
// node:http before it set up recording itself, 'patched' as most programs do.
import http from 'node:http';
import { createRequire } from 'node:module';

const { get } = createRequire(import.meta.url)('node:http') as typeof http;
const sends = process.env.SENDS;
const { agent, HttpInstrumentation, RecordingProcessor } = await import('reenact');
if (sends === 'taken') {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
  new NodeTracerProvider({ spanProcessors: [new RecordingProcessor(new OTLPTraceExporter())] }).register();
  new HttpInstrumentation();
}

function send(url: string, answered: (response: http.IncomingMessage) => void): http.ClientRequest {
  if (sends === 'taken') return get(url, answered);
  if (sends === 'patched') return http.get(url, answered);
  const request = new http.ClientRequest(url, answered);
  request.end();
  return request;
}

const asker = agent('asker', async (url: string) => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  send(url, (response) => response.setEncoding('utf8').on('data', resolve)).on('error', reject);
  return promise;
});
const url = process.env.PEER_URL ?? '';
console.log(await asker(url), await asker(url));

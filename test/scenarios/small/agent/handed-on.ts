// A server that hands a request on in a context of its own, read off its headers, as Next.js does behind its proxy.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { tool } from 'reenact';

const look = tool('look', async (id: string): Promise<string> => `seen ${id}`);

async function handle(): Promise<string> {
  const id = randomUUID();
  await new Promise((resolve) => setTimeout(resolve, 20));
  return JSON.stringify({ id, found: await look(id), at: Date.now(), chance: Math.random() });
}

function handedOn(request: IncomingMessage): Promise<string> {
  return trace.getTracer('framework').startActiveSpan('proxy', async (span) => {
    propagation.inject(context.active(), request.headers);
    span.end();
    return await context.with(propagation.extract(ROOT_CONTEXT, request.headers), handle);
  });
}

const server = createServer((request, response) => {
  handedOn(request).then(
    (body) => response.end(body),
    () => response.writeHead(500).end(),
  );
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
});
process.once('SIGTERM', () => server.close());

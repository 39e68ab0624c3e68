// An agent behind HTTP/2, by SERVER in one of the ways to have it there: no agent wrapper, the request is the run.
import { readFileSync } from 'node:fs';
import { createServer as createHttp1Server } from 'node:http';
import { createSecureServer, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { serve } from '@hono/node-server';
import fastify from 'fastify';
import { Hono } from 'hono';
import OpenAI from 'openai';
import { tool } from 'reenact';

const openai = new OpenAI();
const priceOf = tool('price_of', async (symbol: string): Promise<number> => symbol.length + Math.random());
const certificate = {
  cert: readFileSync(process.env.CERTIFICATE ?? ''),
  key: readFileSync(process.env.CERTIFICATE_KEY ?? ''),
};

async function answer(question: string): Promise<string> {
  const { symbol } = JSON.parse(question) as { symbol: string };
  const content = `${symbol} costs ${await priceOf(symbol)}`;
  const advice = await openai.chat.completions.create({
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content }],
  });
  return JSON.stringify({ advice: `${process.env.GREETING ?? 'Hello.'} ${advice.choices[0]?.message.content}` });
}

function listening(server: { address(): AddressInfo | string | null; close(): unknown }): void {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
  process.once('SIGTERM', () => server.close());
}

/** Streams both ways, with something pushed and trailers. */
async function answerStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
  // As frameworks refuse what a page of another origin sends.
  if (new URL(headers.origin ?? 'null:').host !== headers[':authority']) {
    stream.respond({ ':status': 403 }, { endStream: true });
    return;
  }
  const whole = await answer(await text(stream));
  if (stream.pushAllowed) {
    stream.pushStream({ ':path': '/advice.css' }, (_error, pushed) => {
      pushed.respond({ 'content-type': 'text/css' });
      pushed.end('p { color: red }');
    });
  }
  stream.respond({ 'content-type': 'application/json' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'x-length': String(whole.length) }));
  for (const part of whole.match(/.{1,20}/g) ?? []) stream.write(part);
  stream.end();
}

const servers: Readonly<Record<string, () => void | Promise<void>>> = {
  stream: () => {
    const server = createServer().on('stream', (stream, headers) => void answerStream(stream, headers));
    server.listen(0, '127.0.0.1', () => listening(server));
  },
  request: () => {
    const server = createSecureServer({ ...certificate, allowHTTP1: true }, (request, response) => {
      void text(request)
        .then(answer)
        .then((body) => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
    });
    server.listen(0, '127.0.0.1', () => listening(server));
  },
  http1: () => {
    const server = createHttp1Server((request, response) => {
      void text(request)
        .then(answer)
        .then((body) => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
    });
    server.listen(0, '127.0.0.1', () => listening(server));
  },
  fastify: async () => {
    const app = fastify({ http2: true, https: { ...certificate, allowHTTP1: true } });
    app.post('/ask', async ({ body }, reply) =>
      reply.type('application/json').send(await answer(JSON.stringify(body))),
    );
    await app.listen({ port: 0, host: '127.0.0.1' });
    listening(app.server);
  },
  hono: () => {
    const app = new Hono();
    app.post('/ask', async (context) => context.body(await answer(await context.req.text())));
    const options = { fetch: app.fetch, createServer: createSecureServer, serverOptions: certificate };
    const server = serve({ ...options, port: 0, hostname: '127.0.0.1' }, () => listening(server));
  },
};

await servers[process.env.SERVER ?? '']?.();

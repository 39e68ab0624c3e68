import http, { type IncomingMessage, type RequestListener, Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { serve } from '@hono/node-server';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import {
  type EntryLibrary,
  type EntryQuestion,
  type EntryServer,
  type EntryWork,
  GIVES_UP_MS,
  type SeenAnswer,
} from './entry-library.ts';

/** Taken before anything is patched: the client is nobody's agent. */
const { request } = http;

/** Asks by HTTP/1.1. */
function ask(port: number, question: EntryQuestion): Promise<SeenAnswer> {
  return new Promise((resolve) => {
    let status: number | undefined;
    let body = '';
    let end: SeenAnswer['end'] = 'broken off';
    const options = {
      port,
      method: 'POST',
      path: '/ask',
      headers: { 'content-type': 'application/json' },
      agent: false,
    };
    const sent = request({ ...options, host: '127.0.0.1' });
    const leave = (): void => {
      end = 'left';
      sent.destroy();
    };
    sent.on('response', (response) => {
      status = response.statusCode;
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part;
        if (question.asks === 'client leaves') leave();
      });
      response.on('end', () => {
        end = 'whole';
      });
      // Told of by the end.
      response.on('error', () => undefined);
    });
    sent.on('error', () => undefined).on('close', () => resolve({ status, body, end }));
    if (question.asks === 'timeout') sent.setTimeout(GIVES_UP_MS, leave);
    sent.end(JSON.stringify(question));
  });
}

async function started(server: Server): Promise<EntryServer> {
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers part by part; where the parts fail, or nobody reads them, the answer breaks off. */
async function respond(response: ServerResponse, work: EntryWork, question: EntryQuestion): Promise<void> {
  const { status, parts } = await work(question);
  response.writeHead(status, { 'content-type': 'text/plain' });
  await pipeline(parts, response).catch(() => undefined);
}

function plain(work: EntryWork): Promise<EntryServer> {
  const listener: RequestListener = (message: IncomingMessage, response) => {
    void text(message).then((body) => respond(response, work, JSON.parse(body) as EntryQuestion));
  };
  return started(http.createServer(listener));
}

function ofExpress(work: EntryWork): Promise<EntryServer> {
  const app = express();
  app.use(express.json());
  app.post('/ask', (message, response) => respond(response, work, message.body as EntryQuestion));
  return started(http.createServer(app));
}

async function ofFastify(work: EntryWork): Promise<EntryServer> {
  const app = fastify();
  app.post('/ask', async ({ body }, reply) => {
    const { status, parts } = await work(body as EntryQuestion);
    return reply
      .code(status)
      .type('text/plain')
      .send(Readable.from(parts, { objectMode: false }));
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return started(app.server);
}

function ofHono(work: EntryWork): Promise<EntryServer> {
  const app = new Hono();
  app.post('/ask', async (call) => {
    const { status, parts } = await work(await call.req.json<EntryQuestion>());
    const bytes = ReadableStream.from(parts).pipeThrough(new TextEncoderStream());
    return new Response(bytes, { status, headers: { 'content-type': 'text/plain' } });
  });
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () =>
      resolve(started(server as Server)),
    );
  });
}

/** Nothing but questions is a run: the peer that the tools ask is in this process, too. */
export function patchServers(): () => void {
  const instrumentation = new HttpInstrumentation({ outbound: false, ignore: ({ url }) => url !== '/ask' });
  return () => instrumentation.disable();
}

function rowOf(name: string, start: EntryLibrary['start']): EntryLibrary {
  return {
    name,
    start,
    ask,
    patch: patchServers,
    patched: () => [[Server.prototype, 'emit']],
    run: 'agent:POST /ask',
    loaded: 'It listens by a server of the platform, and those are patched, however the application is loaded.',
  };
}

/** Servers of `node:http`, by themselves and below frameworks. */
export const httpEntries: readonly EntryLibrary[] = [
  rowOf('`node:http`', plain),
  rowOf('Express', ofExpress),
  rowOf('Fastify', ofFastify),
  rowOf('Hono', ofHono),
];

import { createServer, type Server } from 'node:http';
import { serve } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';

/** What an app does with a question: the code that is recorded, and runs again. */
export type Handle = (question: { readonly symbol: string }) => Promise<object>;

/** One way of building an app; gives the server it listens with. */
export type Framework = (handle: Handle) => Promise<Server>;

function listening(server: Server): Promise<Server> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const plain: Framework = (handle) =>
  listening(
    createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      try {
        const answer = await handle(JSON.parse(Buffer.concat(parts).toString()));
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      } catch (error) {
        response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
      }
    }),
  );

const ofExpress: Framework = (handle) => {
  const app = express();
  app.use(express.json());
  app.post('/ask/:id', async (request, response) => {
    response.json(await handle(request.body as { symbol: string }));
  });
  app.use((error: unknown, _request: unknown, response: express.Response, _next: unknown) => {
    response.status(500).type('text/plain').send(String(error));
  });
  return listening(createServer(app));
};

const ofFastify: Framework = async (handle) => {
  const app = fastify();
  app.post('/ask/:id', async (request) => handle(request.body as { symbol: string }));
  app.setErrorHandler((error, _request, reply) => reply.code(500).type('text/plain').send(String(error)));
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app.server;
};

const ofHono: Framework = (handle) => {
  const app = new Hono();
  app.post('/ask/:id', async (call) => call.json(await handle(await call.req.json<{ symbol: string }>())));
  app.onError((error, call) => call.text(String(error), 500));
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(server as Server));
  });
};

/** Every kind of server that is covered, by name. */
export const frameworks: Readonly<Record<string, Framework>> = {
  'node:http': plain,
  express: ofExpress,
  fastify: ofFastify,
  hono: ofHono,
};

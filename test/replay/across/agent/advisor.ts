// The agent service, asked over HTTP.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { advise, type Request } from './advise.ts';

const server = createServer((request, response) => {
  if (request.url !== '/run') {
    response.writeHead(404).end();
    return;
  }
  json(request)
    .then((body) => advise(body as Request))
    .then((advice) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ advice })))
    .catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ advice: String(error) }));
    });
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })),
);
process.once('SIGTERM', () => server.close());

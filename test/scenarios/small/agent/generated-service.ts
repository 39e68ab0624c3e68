// A service that does what each request asks for (see service-program.ts), with a memory that all requests share.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ServiceMemory } from './service-memory.ts';
import type { RequestProgram } from './service-program.ts';

const memory = new ServiceMemory(process.env.PEER ?? '');

const server = createServer(async (request, response) => {
  const asked = JSON.parse(await text(request)) as RequestProgram;
  response.end(JSON.stringify(await memory.answer(asked)));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', async () => {
  await memory.over();
  server.close();
  server.closeIdleConnections();
});

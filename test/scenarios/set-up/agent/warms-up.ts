// A service that runs an agent before it listens, and another while it answers its first request.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { agent, tool } from 'reenact';

const look = tool('look', async (question: string) => {
  await sleep(50);
  return `${question} is ${randomUUID()}`;
});
const answer = agent('answerer', (question: string) => look(question));
const check = agent('checker', ({ id, at }: { id: string; at: number }) => look(`${id} at ${at}`));

await answer('warm-up');
const server = createServer(async (request, response) => response.end(await answer(`${request.url} ${randomUUID()}`)));
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
  void check({ id: randomUUID(), at: Date.now() });
});
process.once('SIGTERM', () => server.close());

// The front: takes a customer's request and has the agent service handle it.
import type { AddressInfo } from 'node:net';
import express from 'express';

const app = express();
app.use(express.json());
app.post('/ask', async (request, response) => {
  const { wish } = request.body as { wish: string };
  const answered = await fetch(`${process.env.AGENT_URL}/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ wish: wish.trim(), desk: process.env.GATEWAY_DESK ?? 'equities' }),
  });
  const { advice } = (await answered.json()) as { advice: string };
  response.status(answered.status).json({ advice, by: 'gateway' });
});
const server = app.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
});
process.once('SIGTERM', () => server.close());

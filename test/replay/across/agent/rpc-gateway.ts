// The front: takes a customer's request over HTTP and has the agent service handle it over gRPC.
import type { AddressInfo } from 'node:net';
import express from 'express';
import { JsonClient, methods } from './json-rpc.ts';

const advisor = new JsonClient(process.env.AGENT_ADDRESS ?? '');
const app = express();
app.use(express.json());
app.post('/ask', async (request, response) => {
  const { wish } = request.body as { wish: string };
  try {
    const { advice } = await advisor.ask<{ advice: string }>(methods.advise, { wish: wish.trim(), desk: 'equities' });
    response.json({ advice, by: 'gateway' });
  } catch (error) {
    response.status(502).json({ error: String(error) });
  }
});
const server = app.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
});
process.once('SIGTERM', () => server.close());

// The front: takes a customer's request and has the agent service handle it over HTTP/2.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http2, { type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import express from 'express';

const { AGENT_URL = '', STREAM_CERTIFICATES: folder = '' } = process.env;

async function askAgent(body: object): Promise<{ readonly status: number; readonly advice: string }> {
  const session =
    folder === ''
      ? http2.connect(AGENT_URL)
      : http2.connect(AGENT_URL.replace('http:', 'https:'), { ca: readFileSync(join(folder, 'ca.pem')) });
  const stream = session.request({ ':method': 'POST', ':path': '/run', 'content-type': 'application/json' });
  stream.end(JSON.stringify(body));
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  const { advice } = (await json(stream)) as { advice: string };
  session.close();
  return { status: Number(headers[':status']), advice };
}

const app = express();
app.use(express.json());
app.post('/ask', async (request, response) => {
  const { wish } = request.body as { wish: string };
  const { status, advice } = await askAgent({ wish: wish.trim(), desk: process.env.GATEWAY_DESK ?? 'equities' });
  response.status(status).json({ advice, by: 'gateway' });
});
const server = app.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
});
process.once('SIGTERM', () => server.close());

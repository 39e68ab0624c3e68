// As an app with clients of telemetry on undici, HTTP/2 and gRPC, whose hosts are named.
import { once } from 'node:events';
import http2 from 'node:http2';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { agent, tool } from 'reenact';
import { request, Client as UndiciClient } from 'undici';

const { HTTP_URL = '', HTTP2_URL = '', GRPC_ADDRESS = '' } = process.env;
const unencrypted = { allowH2: true, useH2c: true };
const over2 = new UndiciClient(HTTP2_URL, unencrypted);
const client = new Client(GRPC_ADDRESS, credentials.createInsecure());
const same = (bytes: Buffer): Buffer => bytes;

async function* inParts(): AsyncGenerator<string> {
  yield 'one ';
  yield process.hrtime.bigint().toString();
}

async function byUndici(): Promise<string> {
  const sent = await request(`${HTTP_URL}/batch`, { method: 'POST', body: Readable.from(inParts()) });
  return `${sent.statusCode} ${(await sent.body.text()).length > 1}`;
}

async function byUndiciOver2(): Promise<string> {
  const sent = await over2.request({ path: '/batch', method: 'POST', body: crypto.randomUUID() });
  return `${sent.statusCode} ${(await sent.body.text()).length > 1}`;
}

async function bySession(): Promise<string> {
  const session = http2.connect(HTTP2_URL);
  const stream = session.request({ ':path': '/batch', ':method': 'POST' });
  stream.end(process.hrtime.bigint().toString());
  const [[headers], body] = await Promise.all([once(stream, 'response'), text(stream)]);
  session.close();
  return `${headers[':status']} ${body.length > 1}`;
}

function byGrpc(): Promise<string> {
  return new Promise((resolve) => {
    const answer = (error: ServiceError | null): void => resolve(error === null ? 'taken' : `${error.code}`);
    client.makeUnaryRequest('/e2e.Echo/Say', same, same, Buffer.from(crypto.randomUUID()), answer);
  });
}

/** Telemetry that asks for an answer to each message is told that nobody is there, and lives with it. */
function byGrpcStream(): Promise<string> {
  const stream = client.makeBidiStreamRequest('/e2e.Echo/Chat', same, same);
  stream.write(Buffer.from(crypto.randomUUID()));
  return new Promise((resolve) => {
    stream.once('data', () => {
      stream.end();
      resolve('answered');
    });
    stream.once('error', (error: ServiceError) => resolve(`${error.code}`));
  });
}

const ways = [byUndici, byUndiciOver2, bySession, byGrpc, byGrpcStream];
const look = tool('look', async () => 7);

const run = agent('watched', async () => {
  const told: string[] = [];
  for (const way of ways) told.push(await way());
  console.error(JSON.stringify({ told }));
  return look();
});

console.log(JSON.stringify(await run()));
client.close();
await over2.close();

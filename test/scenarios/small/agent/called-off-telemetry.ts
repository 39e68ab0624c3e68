// As an app whose clients of telemetry, to hosts that are named, call a request off before it is answered.
import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { agent, tool } from 'reenact';
import { request } from 'undici';

const { HTTP_URL = '', HTTP2_URL = '', GRPC_ADDRESS = '' } = process.env;
const client = new Client(GRPC_ADDRESS, credentials.createInsecure());
const same = (bytes: Buffer): Buffer => bytes;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The name of the error that a request fails with which is called off one turn later. */
async function nameOf(send: (signal: AbortSignal) => Promise<unknown>): Promise<string> {
  const leaving = new AbortController();
  const sent = send(leaving.signal);
  const told = sent.then(
    () => 'answered',
    (error: Error) => error.name,
  );
  await turn();
  leaving.abort();
  return told;
}

const post = { method: 'POST', body: '{}' } as const;
const byFetch = (): Promise<string> => nameOf((signal) => fetch(`${HTTP_URL}/hang`, { ...post, signal }));
const byUndici = (): Promise<string> => nameOf((signal) => request(`${HTTP_URL}/hang`, { ...post, signal }));

async function byHttp(): Promise<string> {
  const sent = http.request(`${HTTP_URL}/hang`, { method: 'POST' });
  sent.end('{}');
  const told = new Promise<string>((resolve) => {
    sent.once('response', () => resolve('answered'));
    sent.once('error', (error: NodeJS.ErrnoException) => resolve(`${error.code}`));
  });
  await turn();
  sent.destroy();
  return told;
}

async function bySession(): Promise<string> {
  const session = http2.connect(HTTP2_URL);
  const stream = session.request({ ':path': '/hang', ':method': 'POST' });
  const heads: unknown[] = [];
  stream.on('response', (headers) => heads.push(headers[':status']));
  stream.end('{}');
  await turn();
  stream.close(http2.constants.NGHTTP2_CANCEL);
  await once(stream, 'close');
  session.close();
  return `${stream.rstCode} ${heads.length}`;
}

function byGrpc(wait: () => Promise<void> | undefined): Promise<string> {
  return new Promise((resolve) => {
    const answer = (error: ServiceError | null): void => resolve(error === null ? 'answered' : `${error.code}`);
    const call = client.makeUnaryRequest('/e2e.Echo/Hang', same, same, Buffer.from('{}'), answer);
    const waited = wait();
    if (waited === undefined) call.cancel();
    else void waited.then(() => call.cancel());
  });
}

const ways = [byFetch, byHttp, byUndici, bySession, () => byGrpc(() => undefined), () => byGrpc(turn)];
const look = tool('look', async () => 7);

const run = agent('called-off', async () => {
  const told: string[] = [];
  for (const way of ways) told.push(await way());
  console.error(JSON.stringify({ told }));
  return look();
});

console.log(JSON.stringify(await run()));
client.close();

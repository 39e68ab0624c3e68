// An agent whose tools use the undici package and gRPC, and one more client that nobody recorded where EXTRA names it.
import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { agent, tool } from 'reenact';
import { Agent, interceptors, request, fetch as undiciFetch } from 'undici';

const { HTTP_URL = '', HTTP2_URL = '', GRPC_ADDRESS = '', EXTRA } = process.env;
const client = new Client(GRPC_ADDRESS, credentials.createInsecure());
const same = (bytes: Buffer): Buffer => bytes;

function call(method: string, words: string, deadline?: number): Promise<string> {
  return new Promise((resolve) => {
    const options = deadline === undefined ? {} : { deadline };
    const answer = (error: ServiceError | null, value?: Buffer): void => {
      resolve(error === null ? String(value) : `${error.code} ${error.details.replace(/ after .*/, '')}`);
    };
    client.makeUnaryRequest(`/e2e.Echo/${method}`, same, same, Buffer.from(words), new Metadata(), options, answer);
  });
}

async function converse(words: readonly string[]): Promise<string[]> {
  const stream = client.makeBidiStreamRequest('/e2e.Echo/Chat', same, same);
  const heard: string[] = [];
  for (const word of words) {
    stream.write(Buffer.from(word));
    const answer = await new Promise<Buffer>((resolve) => stream.once('data', resolve));
    heard.push(String(answer));
  }
  stream.end();
  return heard;
}

const look = tool('look', async (path: string) => {
  const retrying = new Agent().compose(interceptors.retry({ minTimeout: 2_000, statusCodes: [503] }));
  const { statusCode, body } = await request(`${HTTP_URL}${path}`, { dispatcher: retrying });
  const posted = await undiciFetch(`${HTTP_URL}/post`, { method: 'POST', body: 'by undici' });
  return [
    statusCode,
    await body.text(),
    posted.status,
    await posted.text(),
    await over2('/two'),
    await patience('/hang'),
  ];
});

const ask = tool('ask', async (words: string) => [
  await call('Say', words),
  await call('Fail', words),
  await call('Hang', words, Date.now() + 1_000),
  await converse(['one', 'two']),
]);

function over2(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const session = http2.connect(HTTP2_URL).on('error', reject);
    const stream = session.request({ ':path': path });
    text(stream)
      .then(resolve, reject)
      .finally(() => session.close());
  });
}

/** Waits for an answer as long as a time limit of the stream says. */
async function patience(path: string): Promise<string> {
  const session = http2.connect(HTTP2_URL);
  const stream = session.request({ ':path': path });
  const closed = once(stream, 'close');
  let seen = 'was closed';
  stream.setTimeout(200, () => {
    seen = 'gave up';
    stream.close(http2.constants.NGHTTP2_CANCEL);
  });
  await closed;
  session.close();
  return seen;
}

const extras: Readonly<Record<string, () => Promise<unknown>>> = {
  undici: async () => (await request(`${HTTP_URL}/extra`)).body.text(),
  fetch: async () => (await fetch(`${HTTP_URL}/extra`)).text(),
  http: async () =>
    text(
      await new Promise<http.IncomingMessage>((resolve, reject) => {
        http.get(`${HTTP_URL}/extra`, resolve).on('error', reject);
      }),
    ),
  http2: () => over2('/extra'),
  grpc: () => call('Extra', 'extra'),
  // Made by hand, past the functions that are patched: no boundary covers it.
  'http.ClientRequest': () =>
    new Promise((resolve, reject) => {
      new http.ClientRequest(`${HTTP_URL}/extra`).on('response', resolve).on('error', reject).end();
    }),
  'net.connect': () =>
    new Promise((resolve, reject) => {
      connect(Number(new URL(HTTP_URL).port), '127.0.0.1')
        .on('connect', () => resolve('connected'))
        .on('error', reject);
    }),
};

const main = agent('main', async () => {
  const seen = [await look('/flaky'), await ask('hello')];
  const extra = await extras[EXTRA ?? '']?.().catch(() => 'refused');
  return extra === undefined ? seen : [...seen, extra];
});

// What is called outside the tools is called by the agent's own code.
process.stdout.write(`${JSON.stringify(await main())}\n`);
process.exit(0);

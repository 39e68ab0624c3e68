// A service whose agent looks at the status of what it asked for, fails, and never reads the body. READ=on is the version that reads it first.
import { once } from 'node:events';
import http, { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { agent } from 'reenact';
import { request } from 'undici';

const { UPSTREAM_URL = '', READ } = process.env;

interface Answered {
  readonly status: number;
  read(): Promise<string>;
  begin(): Promise<unknown>;
}

const clients: Record<string, (url: string) => Promise<Answered>> = {
  async fetch(url) {
    const response = await fetch(url);
    return {
      status: response.status,
      read: () => response.text(),
      begin: async () => (await response.body?.getReader().read())?.value?.byteLength,
    };
  },
  async undici(url) {
    const { statusCode, body } = await request(url);
    return { status: statusCode, read: () => body.text(), begin: async () => (await once(body, 'data'))[0].byteLength };
  },
  async http(url) {
    const sent = http.get(url);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    // Left alone at the end of the test.
    response.on('error', () => undefined);
    return {
      status: response.statusCode ?? 0,
      read: () => text(response),
      begin: async () => {
        await once(response, 'readable');
        return response.read(1)?.byteLength;
      },
    };
  },
};

/** Calls that a run went on without. */
const left: Promise<unknown>[] = [];
const released = Promise.withResolvers<void>();
const readLater = Promise.withResolvers<number>();
const readOn = Promise.withResolvers<void>();

const reader = agent('reader', async ({ client, body, way }: Record<string, string>) => {
  const answering = clients[client ?? '']?.(`${UPSTREAM_URL}/${body}`);
  if (way === 'left') {
    left.push(Promise.resolve(answering));
    throw new Error('did not wait');
  }
  const answered = await answering;
  if (answered === undefined) throw new Error('There is no such client.');
  if (READ === 'on') return { read: (await answered.read()).length };
  if (way === 'begun') await answered.begin();
  if (way === 'later') void released.promise.then(async () => readLater.resolve((await answered.read()).length));
  if (way === 'on') void readOn.promise.then(() => answered.read()).catch(() => undefined);
  throw new Error(`answered ${answered.status}`);
});

const server = createServer(async ({ url = '' }, response) => {
  const [, client = '', body = '', way = ''] = url.split('/');
  if (client === 'release') {
    released.resolve();
    response.end(String(await readLater.promise));
    return;
  }
  if (client === 'read-on') {
    readOn.resolve();
    response.end();
    return;
  }
  if (client === 'piped') {
    const { body: upstream } = await fetch(`${UPSTREAM_URL}/${body}`);
    for await (const chunk of upstream ?? []) response.write(chunk);
    response.end();
    return;
  }
  try {
    response.end(JSON.stringify(await reader({ client, body, way })));
  } catch (error) {
    response.writeHead(502).end(String(error));
  }
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => process.exit());

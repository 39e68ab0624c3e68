import { Agent, Client, type Dispatcher, fetch, Pool, pipeline, request, stream } from 'undici-5';
import type { Attempts } from './attempts.ts';

const { HTTP_PORT } = process.env;
const origin = `http://127.0.0.1:${HTTP_PORT}`;

function bodyOf({ body }: Dispatcher.ResponseData): Promise<string> {
  return body.text();
}

async function fetched(): Promise<string> {
  try {
    return await (await fetch(origin)).text();
  } catch (error) {
    throw (error as Error).cause;
  }
}

/** What an undici does that no instrumentation covers: the last major version before those that are recorded. */
export const attempts: Attempts = {
  'net.connect by request': async () => bodyOf(await request(origin)),
  'net.connect by a request with a body': async () => bodyOf(await request(origin, { method: 'POST', body: 'x' })),
  'net.connect by a client': async () => bodyOf(await new Client(origin).request({ path: '/', method: 'GET' })),
  'net.connect by a pool': async () => bodyOf(await new Pool(origin).request({ path: '/', method: 'GET' })),
  'net.connect by an agent': async () => bodyOf(await request(origin, { dispatcher: new Agent() })),
  'net.connect by stream': () =>
    stream(origin, { method: 'GET' }, () => {
      throw new TypeError('answered');
    }),
  'net.connect by pipeline': async () => {
    const piped = pipeline(origin, { method: 'GET' }, ({ body }) => body);
    for await (const piece of piped.end()) return String(piece);
    return undefined;
  },
  'net.connect by its fetch': fetched,
};

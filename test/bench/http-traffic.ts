import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Sends one request with a JSON body and gives what the JSON of the answer says. */
export type Send = (url: string, body: object) => Promise<unknown>;

/** The two ways in which a Node.js program sends HTTP without a library. */
export const HTTP_CLIENTS = {
  fetch: async (url, body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.json();
  },
  'node:http': (url, body) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const sent = http.request(url, { method: 'POST', headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.once('end', () => resolve(JSON.parse(Buffer.concat(parts).toString('utf8'))));
        response.once('error', reject);
      });
      sent.once('error', reject);
      sent.end(JSON.stringify(body));
    }),
} as const satisfies Record<string, Send>;

/** One of them. */
export type HttpClient = keyof typeof HTTP_CLIENTS;

/** A server on loopback whose answer depends on the path. */
export interface TrafficServer {
  readonly url: string;
  readonly requestCount: () => number;
  stop(): Promise<void>;
}

/** Starts it on a free port. */
export async function startTrafficServer(): Promise<TrafficServer> {
  let count = 0;
  const server = http.createServer((message, response) => {
    message.resume();
    message.once('end', () => {
      count += 1;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ path: message.url, text: 'an answer of about a kilobyte. '.repeat(32) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requestCount: () => count,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The traffic: so many requests one after the other, each to a path of its own. Gives the paths that were answered. */
export async function sendTraffic(send: Send, url: string, count: number): Promise<string[]> {
  const paths: string[] = [];
  for (let step = 0; step < count; step += 1) {
    const answer = (await send(`${url}/steps/${step}`, { step, ask: 'what now?' })) as { path: string };
    paths.push(answer.path);
  }
  return paths;
}

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tlsFetch } from '@reenact/collector-client';
import { afterAll, beforeAll, expect, it } from 'vitest';

const pem = (name: string): string =>
  readFileSync(new URL(`../receiver/certificates/${name}.pem`, import.meta.url), 'utf8');

let server: Server;
let url: string;
const ask = tlsFetch({ ca: pem('ca') });

beforeAll(async () => {
  server = createServer({ cert: pem('server'), key: pem('server-key') }, (request, response) => {
    response.writeHead(Number(request.url?.slice(1)), { 'x-kind': 'odd' });
    response.end(request.url === '/200' ? 'answer' : undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

it('gives answers with and without a body, whatever their status', async () => {
  const seen: unknown[] = [];
  for (const status of [200, 204, 304, 404, 503]) {
    const response = await ask(`${url}/${status}`);
    seen.push([response.status, response.headers.get('x-kind'), await response.text()]);
  }
  expect(seen).toEqual([200, 204, 304, 404, 503].map((status) => [status, 'odd', status === 200 ? 'answer' : '']));
});

it('rejects what no fetch could give, and ends nobody else by it', async () => {
  await expect(ask(`${url}/799`)).rejects.toThrow(RangeError);
  await expect(ask(url.replace('https:', 'http:'))).rejects.toThrow('Protocol');
  await expect(tlsFetch({})(`${url}/200`)).rejects.toMatchObject({ code: expect.stringMatching(/CERT|VERIFY/) });
  await expect(ask(`${url}/200`, { signal: AbortSignal.abort(new Error('called off')) })).rejects.toThrow('called off');
});

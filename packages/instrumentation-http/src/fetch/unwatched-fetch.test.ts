import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gate } from '@reenact/instrumentation';
import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp } from '../testdata/http-suite.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchHttp();
});
afterAll(() => undo());

/** Every chunk of an answer as it comes. */
async function chunksOf(url: string): Promise<unknown[]> {
  const response = await fetch(url);
  const seen: unknown[] = [response.status, response.headers.get('x-kind')];
  for await (const chunk of response.body ?? []) seen.push(Buffer.from(chunk).toString('base64'));
  return seen;
}

describe('a served answer that nobody watches', () => {
  it('is the very answer that is served where somebody does', async () => {
    const bodies = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50, size: 'max' }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(bodies, fc.constantFrom(200, 404, 503), async (chunks, status) => {
        const server = createServer(async (_request, response) => {
          response.writeHead(status, { 'x-kind': 'odd' });
          for (const chunk of chunks) {
            response.write(chunk);
            await new Promise((resolve) => setImmediate(resolve));
          }
          response.end();
        });
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
        const calls = new RecordedCalls();
        const detach = calls.attach();
        const recorded = await chunksOf(url);
        await calls.settled(1);
        const crossings = calls.crossings();
        const closed = new Promise((resolve) => server.close(resolve));
        server.closeAllConnections();
        await closed;
        const watched = await new TapePlayer(crossings).during(() => chunksOf(url));
        detach();
        gate.configure({ recorder: undefined, tracerProvider: undefined });
        const unwatched = await new TapePlayer(crossings).during(() => chunksOf(url));
        expect([watched, unwatched]).toEqual([recorded, recorded]);
      }),
      { numRuns: 25 },
    );
  });
});

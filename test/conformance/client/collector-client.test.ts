import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningCollector } from '@reenact/collector';
import { createCollectorClient } from '@reenact/collector-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEndpoint } from '../forward/recording-endpoint.ts';
import { makeSpan, postSpans, spanIdOf, Testbed, traceIdOf, wrapSpans } from '../testbed.ts';

const testbed = new Testbed();
let collector: RunningCollector;
beforeAll(async () => {
  collector = await testbed.start();
  await postSpans(collector.httpUrl, [makeSpan()]);
});
afterAll(() => testbed.dispose());

describe('the collector client', () => {
  it('reads recordings, runs and statistics', async () => {
    const client = createCollectorClient({ url: `${collector.httpUrl}/` });
    expect(await client.getRecording(spanIdOf(1))).toEqual(wrapSpans([makeSpan()]));
    const { runs } = await client.listRuns({ service: 'shop', limit: 5 });
    expect(runs).toMatchObject([{ traceId: traceIdOf(1), name: 'work' }]);
    expect(await client.stats()).toMatchObject({ store: { spans: 1 } });
    expect(await client.isReady()).toBe(true);
  });

  it('says what the collector refused', async () => {
    const client = createCollectorClient({ url: collector.httpUrl });
    await expect(client.getRecording(spanIdOf(2))).rejects.toMatchObject({
      code: 'not-found',
      next: expect.any(String),
    });
    await expect(client.getRecording('../stats')).rejects.toMatchObject({ code: 'bad-request' });
    await expect(client.listRuns({ limit: 501 })).rejects.toMatchObject({ code: 'bad-request' });
  });

  it('says that nothing is there, and how to start one', async () => {
    const endpoint = await startEndpoint();
    await endpoint.close();
    const client = createCollectorClient({ url: endpoint.url });
    await expect(client.listRuns()).rejects.toMatchObject({
      code: 'collector-unreachable',
      where: endpoint.url,
      next: expect.stringContaining('reenact collect'),
    });
  });

  it('says that an answer is too long to be read, and how it can be saved', async () => {
    const tooLong = Object.assign(new Error('Cannot create a string longer than'), { code: 'ERR_STRING_TOO_LONG' });
    const broken = () => new Response(new ReadableStream({ pull: () => Promise.reject(tooLong) }));
    const client = createCollectorClient({ url: collector.httpUrl, fetch: () => Promise.resolve(broken()) });
    await expect(client.getRecording(spanIdOf(1))).rejects.toMatchObject({
      code: 'too-large',
      next: expect.stringContaining('curl'),
    });
  });

  it('takes what a proxy says in place of a collector that is away for what may be otherwise later', async () => {
    const endpoint = await startEndpoint();
    endpoint.answer = () => ({ status: 502, body: Buffer.from('<html>Bad Gateway') });
    const client = createCollectorClient({ url: endpoint.url });
    await expect(client.listRuns()).rejects.toMatchObject({
      code: 'collector-refused',
      retryable: true,
      next: expect.stringContaining('proxy'),
    });
    await endpoint.close();
  });

  it('says that what answers is no collector', async () => {
    const endpoint = await startEndpoint();
    endpoint.answer = () => ({ status: 404, body: Buffer.from('<html>') });
    const client = createCollectorClient({ url: endpoint.url });
    await expect(client.getRecording(spanIdOf(1))).rejects.toMatchObject({ code: 'collector-refused' });
    endpoint.answer = () => ({ status: 200, body: Buffer.from('<html>') });
    await expect(client.listRuns()).rejects.toMatchObject({ code: 'collector-refused' });
    const following = client.followRuns({}, { signal: new AbortController().signal });
    await expect(following[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'collector-refused',
      message: expect.stringContaining('HTTP 200 with what no Reenact collector says'),
    });
    await expect(client.getRecording(spanIdOf(1))).rejects.toMatchObject({ code: 'collector-refused' });
    await endpoint.close();
  });
});

describe('a large recording', () => {
  it('waits for an answer as long as more of it comes, and no longer', async () => {
    const document = Buffer.from(JSON.stringify(wrapSpans([makeSpan()])));
    const pieces = 20;
    let sent = 0;
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const stopAt = request.url?.includes(spanIdOf(1)) === true ? pieces : pieces / 2;
      let piece = 0;
      const timer = setInterval(() => {
        const part = document.subarray((piece * document.length) / pieces, ((piece + 1) * document.length) / pieces);
        piece += 1;
        sent = piece;
        response.write(part);
        if (piece === stopAt) clearInterval(timer);
        if (piece === pieces) response.end();
      }, 100);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const client = createCollectorClient({ url: `http://127.0.0.1:${port}`, timeoutMs: 1_000 });
    expect(await client.getRecording(spanIdOf(1))).toEqual(wrapSpans([makeSpan()]));
    expect(sent).toBe(pieces);
    await expect(client.getRecording(spanIdOf(2))).rejects.toMatchObject({
      code: 'collector-unreachable',
      message: expect.stringContaining('in time'),
    });
    expect(sent).toBe(pieces / 2);
    server.closeAllConnections();
    server.close();
  });
});

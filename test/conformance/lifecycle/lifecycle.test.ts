import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Collector, openStore, startCollector } from '@reenact/collector';
import { afterEach, describe, expect, it } from 'vitest';
import { startProcess } from '../durability/start-process.ts';
import { makeSpan, postSpans, spanIdOf, Testbed } from '../testbed.ts';

async function occupyPort(): Promise<{ port: number; server: Server }> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { port: (server.address() as AddressInfo).port, server };
}

describe('starting and stopping a collector', () => {
  const testbed = new Testbed();
  afterEach(() => testbed.dispose());

  it('may be stopped without a start, and twice', async () => {
    const collector = new Collector({ dataDirectory: join(await testbed.directory(), 'never-made') });
    await collector.stop();
    await collector.stop();
    await expect(collector.start()).rejects.toMatchObject({ code: 'bad-argument' });
  });

  it('may be stopped while it starts, which does not wait for the opening of the store', async () => {
    const dataDirectory = await testbed.directory();
    const collector = new Collector({ dataDirectory, httpPort: 0, grpcPort: 0 });
    const starting = expect(collector.start()).rejects.toMatchObject({
      code: 'store-failed',
      message: 'The opening of the store was broken off.',
    });
    await collector.stop();
    await starting;
    await (await openStore(dataDirectory)).close();
  });

  it('is not stopped by the signal that ends a start once it runs', async () => {
    const starting = new AbortController();
    const { httpUrl } = await testbed.start({}, { signal: starting.signal });
    starting.abort();
    expect((await postSpans(httpUrl, [makeSpan()])).status).toBe(200);
  });

  it('lets go of ports and files, and finds everything again', async () => {
    const dataDirectory = await testbed.directory();
    const first = await testbed.start({ dataDirectory });
    expect((await postSpans(first.httpUrl, [makeSpan()])).status).toBe(200);
    const [httpPort, grpcPort] = [first.httpUrl, first.grpcUrl].map((url) => Number(new URL(url).port));
    await Promise.all([first.stop(), first.stop()]);
    const second = await testbed.start({ dataDirectory, httpPort, grpcPort });
    expect((await fetch(`${second.httpUrl}/api/v1/recordings/${spanIdOf(1)}`)).status).toBe(200);
  });

  it('keeps its directory from other processes, also after its own tried to have it twice', async () => {
    const { dataDirectory } = await testbed.start();
    await expect(openStore(dataDirectory)).rejects.toMatchObject({ code: 'store-failed' });
    // What a system locks for a process is let go of where that closes any descriptor of the file.
    const other = await startProcess(dataDirectory).then(
      ({ child }) => child,
      (thrown: unknown) => String(thrown),
    );
    if (typeof other !== 'string') other.kill();
    expect(other).toContain('Another process uses this data directory');
  });

  it('answers requests in flight before it is gone', async () => {
    const collector = await testbed.start();
    const posts = Array.from({ length: 30 }, (_, index) =>
      postSpans(collector.httpUrl, [makeSpan({ spanId: spanIdOf(index) })]).then(({ status }) => status),
    );
    await postSpans(collector.httpUrl, [makeSpan({ spanId: spanIdOf(100) })]);
    await collector.stop();
    const settled = await Promise.allSettled(posts);
    const store = await openStore(collector.dataDirectory);
    const { spans } = await store.stats();
    await store.close();
    const acknowledged = settled.filter((result) => result.status === 'fulfilled' && result.value === 200).length;
    expect(acknowledged).toBeGreaterThan(0);
    expect(spans).toBe(acknowledged + 1);
  });
});

describe('what keeps a collector from starting', () => {
  const testbed = new Testbed();
  afterEach(() => testbed.dispose());

  it.each([
    ['httpPort', '--http-port'],
    ['grpcPort', '--grpc-port'],
  ])('a taken %s, named with the flag to change; nothing stays open', async (key, flag) => {
    const { port, server } = await occupyPort();
    const dataDirectory = await testbed.directory();
    const starting = startCollector({ dataDirectory, httpPort: 0, grpcPort: 0, [key]: port });
    await expect(starting).rejects.toMatchObject({
      code: 'port-taken',
      message: expect.stringContaining(String(port)),
      next: expect.stringContaining(flag),
    });
    await (await openStore(dataDirectory)).close();
    server.close();
  });

  it('another collector in the same directory', async () => {
    const { dataDirectory } = await testbed.start();
    await expect(testbed.start({ dataDirectory })).rejects.toMatchObject({
      code: 'store-failed',
      message: 'Another process uses this data directory.',
      next: expect.stringContaining('--data'),
    });
  });

  it.runIf(process.platform === 'linux')('another process in the same directory, which is named', async () => {
    const dataDirectory = await testbed.directory();
    const { child } = await startProcess(dataDirectory);
    const starting = testbed.start({ dataDirectory }).catch((thrown: unknown) => thrown);
    await expect(starting).resolves.toMatchObject({ next: expect.stringContaining(`\`kill ${child.pid}\``) });
    child.kill();
  });

  it.each([
    ['an unknown key', { prot: 1 }],
    ['a port out of range', { httpPort: 70_000 }],
    ['a destination that is no URL', { forward: [{ name: 'a', url: 'jaeger', content: 'slim' }] }],
    [
      'two destinations with one name',
      { forward: ['http://a', 'http://b'].map((url) => ({ name: 'x', url, content: 'full' })) },
    ],
  ])('%s', (_label, config) => {
    expect(() => new Collector(config as object)).toThrow(expect.objectContaining({ code: 'bad-config' }));
  });
});

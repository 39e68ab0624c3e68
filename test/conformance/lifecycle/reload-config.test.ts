import { createHash } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CollectorConfigInput, openStore, ReloadableCollector } from '@reenact/collector';
import { encodeTracesProtobuf } from '@reenact/otlp';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, wrapSpans } from '../testbed.ts';

const testbed = new Testbed();
const collectors: ReloadableCollector[] = [];
const lines: string[] = [];
afterEach(async () => {
  for (const collector of collectors.splice(0)) await collector.stop();
  await testbed.dispose();
  lines.splice(0);
});

const entry = (token: string) => ({
  name: token,
  sha256: createHash('sha256').update(token).digest('hex'),
  scopes: ['ingest' as const],
});

/** A collector, and the configuration it reads when it is told to. */
async function start(config: CollectorConfigInput = {}, onLine: (line: string) => void = () => undefined) {
  const dataDirectory = await testbed.directory();
  const written: { config: CollectorConfigInput; read: () => CollectorConfigInput } = {
    config: { dataDirectory, httpPort: 0, grpcPort: 0, ...config },
    read: () => written.config,
  };
  const log = (line: string) => {
    lines.push(line);
    onLine(line);
  };
  const collector = await ReloadableCollector.start(() => written.read(), { log });
  collectors.push(collector);
  return { collector, written, dataDirectory };
}

async function post(url: string, number: number, token?: string): Promise<number> {
  const body = Buffer.from(encodeTracesProtobuf(wrapSpans([makeSpan({ spanId: spanIdOf(number) })])));
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headers = { 'content-type': 'application/x-protobuf', ...authorization };
  return (await fetch(`${url}/v1/traces`, { method: 'POST', headers, body })).status;
}

const refusals = () => lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'reload refused');

describe('a configuration that is read again', () => {
  it('is used whole: tokens, limits and destinations, at the same addresses, with everything that was stored', async () => {
    const far = await testbed.start();
    const { collector, written } = await start({ tokens: [entry('old')] });
    const { httpUrl, grpcUrl } = collector.current;
    expect(await post(httpUrl, 1, 'old')).toBe(200);
    const forward = [{ name: 'far', url: far.httpUrl, content: 'full' as const }];
    written.config = { ...written.config, tokens: [entry('new')], requestBytesMax: 1024, forward };
    expect(await collector.reload()).toBe('restarted');
    expect(collector.current).toMatchObject({ httpUrl, grpcUrl });
    expect([await post(httpUrl, 2, 'old'), await post(httpUrl, 2, 'new')]).toEqual([401, 200]);
    const { store, forward: destinations } = await collector.current.stats();
    expect([store.spans, destinations.map(({ name }) => name)]).toEqual([2, ['far']]);
    expect(collector.config.requestBytesMax).toBe(1024);
  });

  it('interrupts nothing where it says the same: only its files are read', async () => {
    const tokensFile = join(await testbed.directory(), 'tokens.json');
    await writeFile(tokensFile, JSON.stringify([entry('old')]));
    const { collector } = await start({ tokensFile, limits: { accessCheckMs: 2 ** 30 } });
    const { current } = collector;
    await writeFile(tokensFile, JSON.stringify([entry('new')]));
    expect(await collector.reload()).toBe('files-read');
    expect(collector.current).toBe(current);
    expect([await post(current.httpUrl, 1, 'old'), await post(current.httpUrl, 1, 'new')]).toEqual([401, 200]);
  });

  it('loses nothing that is acknowledged while it takes over', async () => {
    // Were senders to hold up a stop for its grace, this would not end.
    const { collector, written, dataDirectory } = await start({ limits: { stopGraceMs: 600_000 } });
    const { httpUrl } = collector.current;
    const acknowledged = new Set<string>();
    let isOver = false;
    let next = 0;
    const sender = async () => {
      while (!isOver) {
        const id = spanIdOf(next++);
        const isTaken = await postSpans(httpUrl, [makeSpan({ spanId: id })]).then(
          ({ status }) => status === 200,
          () => false,
        );
        if (isTaken) acknowledged.add(id);
      }
    };
    const senders = [sender(), sender(), sender()];
    for (const requestBytesMax of [100_000, 200_000]) {
      const before = acknowledged.size;
      while (acknowledged.size < before + 10) await new Promise((resolve) => setImmediate(resolve));
      written.config = { ...written.config, requestBytesMax };
      expect(await collector.reload()).toBe('restarted');
    }
    isOver = true;
    await Promise.all(senders);
    await collector.stop();
    const store = await openStore(dataDirectory);
    const stored = new Set((await store.readTrace('default', makeSpan().traceId)).map(({ spanId }) => spanId));
    await store.close();
    expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([]);
  });
});

describe('a collector of which something does not close as it starts again', () => {
  it('starts again with what is new, and the log says what did not close', async () => {
    const { collector, written } = await start();
    const { current } = collector;
    const { stop, httpUrl } = current;
    const stopBadly = async () => {
      await stop();
      throw new Error('a file did not close');
    };
    Object.assign(current, { stop: stopBadly });
    written.config = { ...written.config, requestBytesMax: 1024 };
    expect(await collector.reload()).toBe('restarted');
    expect(await post(httpUrl, 1)).toBe(200);
    expect(lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'not everything closed')).toEqual([
      expect.objectContaining({ level: 'error', message: 'a file did not close' }),
    ]);
  });
});

describe('a collector that is stopped while it starts again', () => {
  it('breaks off the opening of the store, and does not go back to what it was', async () => {
    let stopping: Promise<void> | undefined;
    const { collector, written } = await start({ logLevel: 'info' }, (line) => {
      if (line.includes('"stopping"')) stopping ??= collector.stop();
    });
    const { httpUrl } = collector.current;
    written.config = { ...written.config, requestBytesMax: 1024 };
    expect(await collector.reload()).toBe('refused');
    await stopping;
    await expect(fetch(`${httpUrl}/health/live`)).rejects.toThrow();
    expect(lines.filter((line) => line.includes('"started"'))).toHaveLength(1);
    expect(refusals()).toEqual([]);
  });
});

describe('a configuration that cannot be used when it is read again', () => {
  it.each<[string, CollectorConfigInput, string]>([
    ['has an unknown key', { prot: 1 } as CollectorConfigInput, 'prot'],
    ['names a file that is not there', { tokensFile: '/nowhere/tokens.json' }, 'tokensFile'],
    ['has no token any more', { tokens: [] }, 'tokens'],
    ['listens on an address that is not this machine’s', { host: '192.0.2.1' }, '192.0.2.1'],
  ])('changes nothing where it %s, and that is said once', async (_label, more, where) => {
    const { collector, written } = await start({ tokens: [entry('old')] });
    const { httpUrl } = collector.current;
    written.config = { ...written.config, ...more };
    expect(await collector.reload()).toBe('refused');
    expect(await post(httpUrl, 1, 'old')).toBe(200);
    expect(refusals()).toMatchObject([
      { level: 'error', what: 'configuration', where: expect.stringContaining(where) },
    ]);
  });

  it('changes nothing where it cannot be read at all', async () => {
    const { collector, written } = await start();
    written.read = () => {
      throw new SyntaxError('half a file');
    };
    expect(await collector.reload()).toBe('refused');
    expect((await postSpans(collector.current.httpUrl, [makeSpan()])).status).toBe(200);
  });

  it('ends it only where what was in use cannot be started either, with the reason', async () => {
    const tokensFile = join(await testbed.directory(), 'tokens.json');
    await writeFile(tokensFile, JSON.stringify([entry('old')]));
    const taken = await testbed.start();
    const { collector, written } = await start({ tokensFile });
    written.read = () => {
      unlinkSync(tokensFile);
      return { ...written.config, tokensFile: undefined, tokens: [entry('new')], dataDirectory: taken.dataDirectory };
    };
    expect(await collector.reload()).toBe('refused');
    await expect(collector.failed).rejects.toMatchObject({ code: 'bad-config', where: 'tokensFile' });
    await collector.stop();
  });
});

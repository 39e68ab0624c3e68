import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeTracesProtobuf, walkTracesProtobuf } from '@reenact/otlp';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { parseCollectorConfig } from '../config.ts';
import { createLog } from '../logging/log.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { fullDisk } from '../store/store-error.ts';
import { Forwarder } from './forwarder.ts';

const NAME = 'next';
const NANOS = { startTimeUnixNano: 1n, endTimeUnixNano: 2n };
const TIMES = { startTimeUnixNano: '1', endTimeUnixNano: '2' };

let directory: string;
let store: Store;
let server: Server;
let requests = 0;

beforeEach(async () => {
  requests = 0;
  directory = mkdtempSync(join(tmpdir(), 'reenact-forwarder-'));
  store = await openStore(directory);
  server = createServer((request, response) => {
    requests += 1;
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await store.close();
  rmSync(directory, { recursive: true });
});

async function append(number: number): Promise<void> {
  const spans = [{ traceId: 'a'.repeat(32), spanId: `${number}`.repeat(16), name: 'work', ...TIMES }];
  const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  if (!walked.ok) expect.fail(walked.problem.message);
  await store.appendSpans('default', walked.spans, [NAME]);
}

function startForwarder(backoffMs = 5, lines: string[] = []): Forwarder {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const limits = { forwardBackoffFirstMs: backoffMs, forwardBackoffMaxMs: 2 * backoffMs };
  const config = parseCollectorConfig({ forward: [{ name: NAME, url, protocol: 'http', content: 'full' }], limits });
  const [destination] = config.forward;
  if (destination === undefined) expect.fail('no destination');
  const access = {
    current: { ca: undefined, certificate: undefined, key: undefined, token: undefined },
    onReloaded: () => undefined,
  };
  const log = createLog('info', (line) => lines.push(line));
  const forwarder = new Forwarder(destination, { store, access, limits: config.limits, log, collectorId: 'one' });
  forwarder.start();
  return forwarder;
}

it('sends what was delivered once, however long its queue cannot be written, and goes on where it was', async () => {
  const settle = vi.spyOn(store, 'settleQueue').mockRejectedValue(fullDisk(directory));
  await append(1);
  const forwarder = startForwarder();
  try {
    await vi.waitFor(() => expect(settle.mock.calls.length).toBeGreaterThan(5), { timeout: 20_000 });
    expect(forwarder.health()).toMatchObject({ isHealthy: false, lastError: expect.stringContaining('full') });
    expect(requests).toBe(1);
    await append(2);
    settle.mockRestore();
    await vi.waitFor(() => expect(forwarder.health()).toMatchObject({ isHealthy: true, delivered: 2 }), {
      timeout: 20_000,
    });
    await vi.waitFor(async () => expect(await store.queueDepths()).toEqual(new Map()), { timeout: 20_000 });
    expect(requests).toBe(2);
  } finally {
    await forwarder.stop();
  }
});

it('writes at its end what was delivered, where the disk has room by then: the next process would send it again', async () => {
  const settle = vi.spyOn(store, 'settleQueue').mockRejectedValueOnce(fullDisk(directory));
  await append(1);
  const forwarder = startForwarder(600_000);
  await vi.waitFor(() => expect(forwarder.health().lastError).toContain('full'), { timeout: 20_000 });
  await forwarder.stop();
  settle.mockRestore();
  expect(await store.queueDepths()).toEqual(new Map());
  expect(requests).toBe(1);
});

it('tells every reason why deliveries fail, once: behind an outage a token may be denied, which nobody would look for', async () => {
  const lines: string[] = [];
  const answers = [503, 503, 401, 503, 401, 401];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    requests += 1;
    request.resume().on('end', () => response.writeHead(answers.shift() ?? 200).end());
  });
  await append(1);
  const forwarder = startForwarder(5, lines);
  try {
    await vi.waitFor(() => expect(forwarder.health()).toMatchObject({ isHealthy: true, delivered: 1 }), {
      timeout: 20_000,
    });
    const told = lines.map((line) => JSON.parse(line)).map(({ event, reason }) => [event, reason]);
    expect(told).toEqual([
      ['delivery failed', 'HTTP 503'],
      ['delivery failed', 'HTTP 401'],
      ['destination took deliveries again', undefined],
    ]);
  } finally {
    await forwarder.stop();
  }
});

/** Makes one byte of what was written of some spans another, while the store is closed. */
async function damage(...numbers: readonly number[]): Promise<void> {
  await store.close();
  const [name = ''] = readdirSync(join(directory, 'log'));
  const path = join(directory, 'log', name);
  const bytes = readFileSync(path);
  for (const number of numbers) {
    const at = bytes.indexOf(Buffer.from(`${number}`.repeat(16), 'hex'));
    bytes[at] = (bytes[at] ?? 0) ^ 1;
  }
  writeFileSync(path, bytes);
  store = await openStore(directory);
}

it('passes over what the store cannot read any more, and says so: it held up all that came behind it', async () => {
  const lines: string[] = [];
  for (const number of [1, 2, 3, 4, 5]) await append(number);
  await damage(2, 3);
  const forwarder = startForwarder(5, lines);
  try {
    await vi.waitFor(async () => expect(await store.queueDepths()).toEqual(new Map()), { timeout: 20_000 });
    await vi.waitFor(() => expect(forwarder.health().delivered).toBe(3), { timeout: 20_000 });
    expect(forwarder.health()).toMatchObject({ isHealthy: true, dropped: { 'damaged in the store': 2 } });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'queued items are damaged', count: 2, where: expect.stringMatching(/log.*at byte \d+$/) },
    ]);
  } finally {
    await forwarder.stop();
  }
});

/** Queues a span as a version would have received it that took more than this one can decode. */
async function appendText(text: string, resource = ''): Promise<void> {
  const group = { format: 'json', schemaUrl: '' } as const;
  const slice = {
    format: 'json',
    bytes: Buffer.from(text),
    resource: { bytes: Buffer.from(resource), ...group },
    scope: { bytes: Buffer.alloc(0), ...group },
    facts: { traceId: 'b'.repeat(32), spanId: text.length.toString(16).padStart(16, '0'), ...NANOS },
    attribute: () => undefined,
    attributesPresent: () => new Set<string>(),
  } as const;
  await store.appendSpans('default', [slice], [NAME]);
}

it('sets aside what cannot be made OTLP, and says so: it was sent as an empty span, and counted as delivered', async () => {
  const lines: string[] = [];
  const sent: number[] = [];
  server.removeAllListeners('request');
  server.on('request', async (request, response) => {
    const walked = walkTracesProtobuf(Buffer.concat(await request.toArray()));
    if (walked.ok) sent.push(walked.spans.length + walked.rejected.count);
    response.writeHead(200).end();
  });
  const ids = `"traceId":"${'b'.repeat(32)}","spanId":"${'c'.repeat(16)}"`;
  await append(1);
  await appendText(`{${ids},"name":1}`);
  await appendText(`{${ids},"name":"its resource is none"}`, '[]');
  await append(2);
  const forwarder = startForwarder(5, lines);
  try {
    await vi.waitFor(async () => expect(await store.queueDepths()).toEqual(new Map()), { timeout: 20_000 });
    await vi.waitFor(() => expect(forwarder.health().delivered).toBe(2), { timeout: 20_000 });
    expect(sent).toEqual([2]);
    expect(forwarder.health()).toMatchObject({ isHealthy: true, dropped: { 'cannot be written as OTLP': 2 } });
  } finally {
    await forwarder.stop();
  }
  const name = `${'b'.repeat(32)}/${'c'.repeat(16)}`;
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'error',
      event: 'queued items cannot be written',
      destination: NAME,
      count: 2,
      reason: 'name is not a string',
      items: `${name} ${name}`,
    },
  ]);
});

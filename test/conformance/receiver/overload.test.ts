import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { encodeTracesProtobuf } from '@reenact/otlp';
import { afterEach, describe, expect, it } from 'vitest';
import { peakMemoryBytes, resetPeakMemory } from '../../bench/process-cost.ts';
import { eventually, makeSpan, spanIdOf, Testbed, textAttributes, wrapSpans } from '../testbed.ts';
import { startMessage } from './start-message.ts';

const MIB = 1024 * 1024;
const EXPORT_PATH = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const collectorProcess = new URL('../durability/collector-process.ts', import.meta.url).pathname;

/** Bytes that inflate to almost as much as a request may have. */
const BOMB = Buffer.alloc(60 * MIB);

const testbed = new Testbed();
afterEach(() => testbed.dispose());

function call(client: Client, body: Buffer): Promise<ServiceError | undefined> {
  const keep = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(EXPORT_PATH, keep, keep, body, (error) => resolve(error ?? undefined));
  });
}

/** A collector in a process of its own, with what it holds at rest. */
async function startProcess(): Promise<{ pid: number; httpUrl: string; restBytes: number; stop(): Promise<void> }> {
  const directory = await testbed.directory();
  const child = spawn(process.execPath, ['--no-warnings', collectorProcess, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [httpUrl] = (await once(createInterface(child.stdout), 'line')) as [string];
  const pid = child.pid ?? 0;
  resetPeakMemory(pid);
  return {
    pid,
    httpUrl,
    restBytes: peakMemoryBytes(pid),
    stop: async () => {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}

describe.skipIf(process.platform !== 'linux')('bodies that inflate to a thousand times their size', () => {
  it.each([
    ['gzip', gzipSync(BOMB)],
    ['zstd', zstdCompressSync(BOMB)],
  ])('never take more memory together than requests may, %s', async (encoding, body) => {
    const collector = await startProcess();
    try {
      const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': encoding };
      const post = () => fetch(`${collector.httpUrl}/v1/traces`, { method: 'POST', headers, body });
      const answers = await Promise.all(Array.from({ length: 48 }, post));
      const statuses = new Set(answers.map(({ status: code }) => code));
      expect([...statuses].every((code) => code === 400 || code === 503)).toBe(true);
      expect(statuses.has(503)).toBe(true);
      expect(answers.find(({ status: code }) => code === 503)?.headers.get('retry-after')).toBe('1');
      // 48 of them are 2.8 GiB; 80 MiB may be in work, of which there may be copies.
      expect(peakMemoryBytes(collector.pid) - collector.restBytes).toBeLessThan(900 * MIB);
      expect((await fetch(`${collector.httpUrl}/health/ready`)).status).toBe(200);
    } finally {
      await collector.stop();
    }
  });
});

describe('a request over HTTP', () => {
  it('that comes byte by byte is refused with a retry when its time is over', async () => {
    const collector = await testbed.start({ limits: { requestTimeMaxMs: 500 } });
    const { hostname, port } = new URL(collector.httpUrl);
    const socket = connect(Number(port), hostname);
    const headers = ['host: a', 'content-type: application/json', 'content-length: 100000'].join('\r\n');
    socket.write(`POST /v1/traces HTTP/1.1\r\n${headers}\r\n\r\n`);
    const dripping = setInterval(() => socket.write(' '), 20);
    let answer = '';
    for await (const chunk of socket) {
      answer += String(chunk);
      if (answer.includes('whole')) break;
    }
    clearInterval(dripping);
    expect(answer).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1.*as a whole within 500 ms/is);
  });

  it('that stops coming is refused with a retry, and holds no room', async () => {
    const collector = await testbed.start({ bytesInFlightMax: 1024, limits: { requestStallMs: 100 } });
    const { hostname, port } = new URL(collector.httpUrl);
    const socket = connect(Number(port), hostname);
    const headers = ['host: a', 'content-type: application/json', 'content-length: 1000'].join('\r\n');
    socket.write(`POST /v1/traces HTTP/1.1\r\n${headers}\r\n\r\n${' '.repeat(900)}`);
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1.*did not come/is);
    const body = JSON.stringify({ resourceSpans: [] }).padEnd(900);
    const type = { 'content-type': 'application/json' };
    expect((await fetch(`${collector.httpUrl}/v1/traces`, { method: 'POST', headers: type, body })).status).toBe(200);
  });
});

describe('gRPC messages', () => {
  it('take room for all they announce before they are there, and give it back when they break off', async () => {
    const collector = await testbed.start({ bytesInFlightMax: 32 * MIB });
    const messages = Array.from({ length: 8 }, () => startMessage(collector.grpcUrl, 7 * MIB));
    const refused = () => messages.filter((message) => message.refused() !== undefined);
    await eventually('four that are refused', async () => refused().length === 4);
    expect(new Set(refused().map((message) => message.refused()))).toEqual(new Set([String(status.UNAVAILABLE)]));
    for (const message of messages) message.end();
    const client = new Client(new URL(collector.grpcUrl).host, credentials.createInsecure());
    const body = Buffer.from(encodeTracesProtobuf(wrapSpans([makeSpan()])));
    await eventually('room again', async () => (await call(client, body)) === undefined);
    client.close();
  });

  it('that stop coming give their room back, and may be sent again', async () => {
    const collector = await testbed.start({ bytesInFlightMax: 4 * MIB, limits: { requestStallMs: 100 } });
    const stalled = startMessage(collector.grpcUrl, 4 * MIB);
    await eventually('a refusal', async () => stalled.refused() !== undefined);
    expect(stalled.refused()).toBe(String(status.UNAVAILABLE));
    const client = new Client(new URL(collector.grpcUrl).host, credentials.createInsecure());
    expect(await call(client, Buffer.from(encodeTracesProtobuf(wrapSpans([makeSpan()]))))).toBeUndefined();
    // Room for one that large: the one that stalled holds none, though its sender has not let go of it.
    const next = startMessage(collector.grpcUrl, 4 * MIB);
    await eventually('its turn to stall', async () => next.refused() !== undefined);
    expect((await collector.stats()).received.refusedRequests).toEqual({ 'store-busy': 2 });
    for (const message of [stalled, next]) message.end();
    client.close();
  });

  it('that come byte by byte give their room back as well, when their time is over', async () => {
    const collector = await testbed.start({ bytesInFlightMax: 4 * MIB, limits: { requestTimeMaxMs: 500 } });
    const slow = startMessage(collector.grpcUrl, 4 * MIB);
    await eventually('a refusal', async () => {
      slow.drip();
      return slow.refused() !== undefined;
    });
    expect(slow.refused()).toBe(String(status.UNAVAILABLE));
    expect((await collector.stats()).received.refusedRequests).toEqual({ 'store-busy': 1 });
    slow.end();
  });

  it('that announce too much are refused for good, and counted, also where there is no room', async () => {
    const collector = await testbed.start({ requestBytesMax: 2 * MIB, bytesInFlightMax: 3 * MIB });
    const held = startMessage(collector.grpcUrl, 2 * MIB);
    const small = startMessage(collector.grpcUrl, 2 * MIB);
    await eventually('no room', async () => [held, small].some((message) => message.refused() !== undefined));
    const tooLarge = startMessage(collector.grpcUrl, 2 * MIB + 1);
    await eventually('a refusal', async () => tooLarge.refused() !== undefined);
    expect(tooLarge.refused()).toBe(String(status.RESOURCE_EXHAUSTED));
    expect((await collector.stats()).received.refusedRequests).toMatchObject({ 'too-large': 1 });
    for (const message of [held, small, tooLarge]) message.end();
  });

  it('that inflate too far are refused for good, and those without room with a RetryInfo', async () => {
    const collector = await testbed.start({ requestBytesMax: 4 * MIB, bytesInFlightMax: 3 * MIB });
    const client = new Client(new URL(collector.grpcUrl).host, credentials.createInsecure(), {
      'grpc.default_compression_algorithm': 2,
    });
    const tooLarge = await call(client, Buffer.alloc(5 * MIB));
    expect(tooLarge?.code).toBe(status.RESOURCE_EXHAUSTED);
    expect(tooLarge?.metadata.get('grpc-status-details-bin')).toEqual([]);
    const held = startMessage(collector.grpcUrl, 2 * MIB);
    const busy = await eventually('no room beside another', async () => call(client, Buffer.alloc(3 * MIB)));
    expect(busy.code).toBe(status.UNAVAILABLE);
    expect(busy.metadata.get('grpc-status-details-bin')).toHaveLength(1);
    held.end();
    client.close();
  });
});

describe('gRPC calls whose deadline passes while they send', () => {
  it('give their room back, whatever more of them comes', async () => {
    const collector = await testbed.start({ bytesInFlightMax: 4 * MIB });
    const late = startMessage(collector.grpcUrl, 4 * MIB, '50m');
    await eventually('its deadline', async () => late.refused() !== undefined);
    expect(late.refused()).toBe(String(status.DEADLINE_EXCEEDED));
    late.drip();
    await late.arrived();
    const client = new Client(new URL(collector.grpcUrl).host, credentials.createInsecure());
    const refused = await call(client, Buffer.from(encodeTracesProtobuf(wrapSpans([makeSpan()]))));
    late.end();
    client.close();
    expect(refused).toBeUndefined();
  });
});

describe('an exporter of the SDK, as it comes', () => {
  // Over gRPC the SDK for JavaScript does not retry at all; those for Go and Python do: test/interop/exporters.
  it('loses nothing over HTTP to a collector that first has no room', async () => {
    const collector = await testbed.start({ bytesInFlightMax: 4 * MIB });
    const exporter = new OTLPTraceExporter({ url: `${collector.httpUrl}/v1/traces` });
    const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
    const blocker = startMessage(collector.grpcUrl, 4 * MIB - 1024);
    const tracer = provider.getTracer('overload');
    for (let number = 0; number < 50; number += 1) {
      tracer.startSpan(`span ${number}`, { attributes: { text: 'x'.repeat(10_000) } }).end();
    }
    const flushed = provider.forceFlush();
    const refusals = async () => (await collector.stats()).received.refusedRequests['store-busy'] ?? 0;
    await eventually('a refusal', async () => (await refusals()) > 0);
    blocker.end();
    await flushed;
    await provider.shutdown();
    expect((await collector.stats()).store.spans).toBe(50);
  });
});

describe('a bad neighbour', () => {
  it('that sends spans all the time costs nothing that was acknowledged', async () => {
    const collector = await testbed.start({ bytesInFlightMax: 2 * MIB });
    const client = new Client(new URL(collector.grpcUrl).host, credentials.createInsecure());
    const attributes = textAttributes({ text: 'y'.repeat(100_000) });
    const send = async (number: number): Promise<boolean> => {
      const span = makeSpan({ spanId: spanIdOf(number), attributes });
      return (await call(client, Buffer.from(encodeTracesProtobuf(wrapSpans([span]))))) === undefined;
    };
    const taken = await Promise.all(Array.from({ length: 200 }, (_, number) => send(number + 1)));
    const count = taken.filter(Boolean).length;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(200);
    expect((await collector.stats()).store.spans).toBe(count);
    client.close();
  });
});

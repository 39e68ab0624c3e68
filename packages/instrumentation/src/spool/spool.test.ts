import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { agent, deliverSpoolFolder, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { FlakyExporter, SpooledHost } from '../testdata/spooled-host.ts';

let host: SpooledHost | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await host?.stop();
  host = undefined;
});

function wire(spans: readonly ReadableSpan[]): string[] {
  return spans.map((span) => Buffer.from(JsonTraceSerializer.serializeRequest([span]) ?? []).toString('utf8'));
}

const quote = tool('quote', async (symbol: string) => ({ symbol, at: new Date(0), price: 189.5 }), { effect: 'read' });
const failing = tool('failing', () => {
  throw new RangeError('closed');
});
const counted = tool('counted', async function* () {
  yield { a: 1 };
  yield { b: 'é' };
});

async function oneOfEach(): Promise<void> {
  await quote('ACME');
  expect(failing).toThrow('closed');
  for await (const _ of counted());
  for await (const _ of counted()) break;
  tool('secret', (pin: string) => pin.length, { capture: 'digest' })('0000');
}

function outcomesOf(spans: readonly ReadableSpan[]): unknown[] {
  return spans.map(({ attributes }) => [attributes['reenact.name'], attributes['reenact.outcome']]);
}

describe('what the spool holds of a process that dies', () => {
  it('is byte for byte what the process itself would have exported', async () => {
    host = new SpooledHost();
    host.exporter.isAway = true;
    await oneOfEach();
    const left = await host.leftovers();
    host.exporter.isAway = false;
    await host.processor.forceFlush();
    expect(left.names).toEqual(['quote', 'failing', 'counted', 'counted', 'secret']);
    expect(wire(left.taken)).toEqual(wire(host.exporter.taken));
  });

  it('is there when the host has its result', () => {
    host = new SpooledHost();
    tool('sync', () => 42)();
    const { directory } = host.processor.spoolState() ?? {};
    const [segment = ''] = readdirSync(directory ?? '').filter((name) => name.endsWith('.rsp'));
    expect(statSync(`${directory}/${segment}`).size).toBeGreaterThan(100);
    expect(statSync(`${directory}/${segment}`).mode & 0o777).toBe(0o600);
    expect(statSync(directory ?? '').mode & 0o777).toBe(0o700);
  });

  it('is a pending crossing where one had started and not ended, and no pending one where it had', async () => {
    host = new SpooledHost();
    host.exporter.isAway = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = tool('waiting', (_order: string) => promise);
    const run = agent('run', async () => {
      await quote('ACME');
      await waiting('o-1');
    })();
    await turn();
    await turn();
    const open = await host.leftovers();
    resolve();
    await run;
    expect(outcomesOf(open.taken)).toEqual([
      ['quote', 'returned'],
      ['run', 'pending'],
      ['waiting', 'pending'],
    ]);
  });

  it('holds nothing of a value where only digests may be kept', async () => {
    host = new SpooledHost();
    host.exporter.isAway = true;
    tool('secret', (pin: string) => `${pin}!`, { capture: 'digest' })('my-own-pin');
    const left = await host.leftovers();
    expect(wire(left.taken).join('')).not.toContain('own-pin');
    expect(left.taken[0]?.attributes['reenact.key']).toMatch(/^v1:sha256:/);
  });
});

describe('what the spool holds of a process that dies in the turn in which it began a run', () => {
  it('is what had begun in it before a crossing that has ended, so that none is missing between two', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'reenact-spool-'));
    const recording = new RecordingHost({ spool: { directory, destination: 'http://127.0.0.1:1/v1/traces' } });
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = tool('waiting', (_order: string) => promise);
    const copy = join(directory, 'copy');
    await agent('run', async () => {
      const both = [waiting('o-1'), waiting('o-2')];
      tool('checked', () => 42)();
      cpSync(recording.processor.spoolState()?.directory ?? '', copy, { recursive: true });
      resolve();
      await Promise.all(both);
    })();
    const left = new FlakyExporter();
    await deliverSpoolFolder(copy, left);
    await recording.stop();
    rmSync(directory, { recursive: true });
    expect(outcomesOf(left.taken)).toEqual([
      ['run', 'pending'],
      ['waiting', 'pending'],
      ['waiting', 'pending'],
      ['checked', 'returned'],
    ]);
  });

  it('is what is around a crossing that has ended, too', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'reenact-spool-'));
    const recording = new RecordingHost({ spool: { directory, destination: 'http://127.0.0.1:1/v1/traces' } });
    const inner = tool('inner', () => 42);
    const copy = join(directory, 'copy');
    const outer = tool('outer', () => {
      inner();
      inner();
      // What another process would find if this one died now.
      cpSync(recording.processor.spoolState()?.directory ?? '', copy, { recursive: true });
    });
    agent('run', () => outer())();
    const left = new FlakyExporter();
    await deliverSpoolFolder(copy, left);
    await recording.stop();
    rmSync(directory, { recursive: true });
    expect(outcomesOf(left.taken)).toEqual([
      ['outer', 'pending'],
      ['run', 'pending'],
      ['inner', 'returned'],
      ['inner', 'returned'],
    ]);
  });
});

describe('a crossing larger than a frame', () => {
  const large = tool('large', () => 'x'.repeat(500_000));

  it('is pending with its digest until it is on the disk whole, and never both', async () => {
    host = new SpooledHost();
    host.exporter.isAway = true;
    large();
    const [pending, ...others] = (await host.leftovers()).taken;
    expect(others).toEqual([]);
    expect(pending?.attributes).toMatchObject({
      'reenact.outcome': 'pending',
      'reenact.input': '[]',
      'reenact.output.digest': expect.stringMatching(/;500002$/),
    });
    expect(pending?.attributes['reenact.output']).toBeUndefined();
  });

  it('is whole once it was written, and byte for byte what is exported', async () => {
    host = new SpooledHost();
    host.exporter.isAway = true;
    large();
    await vi.waitFor(() => expect(host?.processor.spoolState()?.sizeBytes).toBeGreaterThan(500_000), {
      timeout: 20_000,
    });
    const left = await host.leftovers();
    host.exporter.isAway = false;
    await host.processor.forceFlush();
    expect(wire(left.taken)).toEqual(wire(host.exporter.taken));
  });

  it('is written before the process ends where it ends by itself', async () => {
    host = new SpooledHost();
    host.exporter.isAway = true;
    large();
    const { directory } = host.processor.spoolState() ?? {};
    const { folder, unsaved } = host.processor.closeSpool();
    expect(unsaved).toEqual([]);
    expect(folder).toBe(directory);
    const left = await host.leftovers();
    expect(left.taken.map(({ attributes }) => attributes['reenact.outcome'])).toEqual(['returned']);
  });
});

describe('what was delivered', () => {
  it('is delivered once: a process that dies afterwards leaves nothing', async () => {
    host = new SpooledHost();
    await oneOfEach();
    await host.processor.forceFlush();
    await quote('after');
    const left = await host.leftovers();
    expect(host.exporter.names).toEqual(['quote', 'failing', 'counted', 'counted', 'secret']);
    expect(left.names).toEqual(['quote']);
  });

  it('leaves no folder behind when the process ends', async () => {
    host = new SpooledHost();
    await oneOfEach();
    await host.processor.shutdown();
    expect(readdirSync(host.directory)).toEqual([]);
    expect(host.exporter.names).toHaveLength(5);
  });

  it('frees its segment, and what waits keeps its own', async () => {
    host = new SpooledHost({ spool: { segmentBytesMax: 2_000 } });
    for (let index = 0; index < 50; index += 1) await quote(`S${index}`);
    await host.processor.forceFlush();
    expect(host.processor.spoolState()?.sizeBytes).toBeLessThan(4_000);
    host.exporter.isAway = true;
    for (let index = 0; index < 50; index += 1) await quote(`T${index}`);
    expect((await host.leftovers()).taken).toHaveLength(50);
    expect(existsSync(host.processor.spoolState()?.directory ?? '')).toBe(false);
  });
});

describe('what the spool holds of a resource whose attributes are still being looked for', () => {
  it('is what is known, without a complaint of OpenTelemetry, and all of it as soon as that is there', async () => {
    const complaints: string[] = [];
    const complain = (text: string): void => void complaints.push(text);
    const silent = (): void => undefined;
    const logger = { error: complain, warn: complain, info: silent, debug: silent, verbose: silent };
    diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
    const { promise, resolve } = Promise.withResolvers<string>();
    const resource = resourceFromAttributes({ 'service.name': 'trader', 'host.id': promise });
    host = new SpooledHost({ resource });
    host.exporter.isAway = true;
    await quote('EARLY');
    resolve('h-1');
    await resource.waitForAsyncAttributes?.();
    await quote('LATE');
    const { taken } = await host.leftovers();
    diag.disable();
    expect(taken.map((span) => span.resource.attributes)).toEqual([
      { 'service.name': 'trader' },
      { 'service.name': 'trader', 'host.id': 'h-1' },
    ]);
    expect(complaints).toEqual([]);
  });
});

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ATTR_REENACT_OUTPUT } from '@reenact/semconv/reenact';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RecordingProcessor, tool } from '../index.ts';
import { FlakyExporter, SPILLED, SpooledHost, smallHost } from '../testdata/spooled-host.ts';

let host: SpooledHost | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await host?.stop();
  host = undefined;
});

const text = tool('text', (characters: number) => 'x'.repeat(characters), { effect: 'none' });

describe('while the collector is away', () => {
  it('what memory has no room for waits on the disk and is delivered in order when it is back', async () => {
    host = new SpooledHost({ queueBytesMax: 20_000, queueSpansMax: 5 });
    host.exporter.isAway = true;
    for (let index = 0; index < 40; index += 1) tool(`n${index}`, () => index)();
    await host.processor.forceFlush();
    expect(host.exporter.taken).toEqual([]);
    host.exporter.isAway = false;
    await host.processor.forceFlush();
    expect(host.exporter.names).toEqual(Array.from({ length: 40 }, (_, index) => `n${index}`));
    expect([...host.processor.dropped()]).toEqual([]);
  });

  it('large ones are written at once where more come than the disk takes, and none is delivered as one that never ended', async () => {
    host = new SpooledHost({ queueSpansMax: 1, spool: { laterCharactersMax: 300_000 } });
    for (let index = 0; index < 20; index += 1) text(100_000 + index);
    await host.processor.forceFlush();
    const lengths = host.exporter.taken.map(({ attributes }) => String(attributes[ATTR_REENACT_OUTPUT] ?? '').length);
    expect(lengths).toEqual(Array.from({ length: 20 }, (_, index) => 100_002 + index));
    expect([...host.processor.dropped()]).toEqual([]);
  });

  it('the disk is bounded: the oldest go first, and each that is lost is counted', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    host = new SpooledHost({ queueSpansMax: 1, spool: { segmentBytesMax: 10_000, bytesMax: 50_000 } });
    host.exporter.isAway = true;
    for (let index = 0; index < 100; index += 1) {
      text(2_000);
      expect(host.processor.spoolState()?.sizeBytes).toBeLessThan(60_000);
    }
    host.exporter.isAway = false;
    await host.processor.forceFlush();
    const lost = host.processor.dropped().get('spool-full') ?? 0;
    expect(lost).toBeGreaterThan(50);
    expect(host.exporter.taken).toHaveLength(100 - lost);
  });
});

function calls(count: number): void {
  for (let index = 0; index < count; index += 1) tool(`n${index}`, () => index)();
}

function names(start: number, end: number): string[] {
  return Array.from({ length: end - start }, (_, index) => `n${start + index}`);
}

describe('where memory has no room for where spans are on the disk', () => {
  it('those are delivered behind what it had room for, and a flush says then that all was', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    host = smallHost({ spool: { segmentBytesMax: 60_000 } });
    host.exporter.isAway = true;
    const count = SPILLED * 3;
    calls(count);
    const leftCount = count - SPILLED - 1;
    expect(await host.processor.flush()).toBe(count);
    expect(host.processor.spoolState()?.leftCount).toBe(leftCount);
    const told = stderr.mock.calls.map(([written]) => String(written)).filter((line) => line.startsWith('reenact:'));
    expect(told).toEqual([expect.stringContaining('spool deliver')]);
    host.exporter.isAway = false;
    expect(await host.processor.flush()).toBe(0);
    expect(host.processor.spoolState()?.leftCount).toBe(0);
    expect(host.exporter.names).toEqual(names(0, count));
    expect(host.exporter.taken.every(({ resource }) => resource.attributes['service.name'] !== undefined)).toBe(true);
    expect([...host.processor.dropped()]).toEqual([]);
    expect((await host.leftovers()).names).toEqual([]);
  });

  it('a process that ends before leaves them to the next, and none that was delivered', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    host = smallHost();
    host.exporter.isAway = true;
    calls(SPILLED + 3);
    host.processor.closeSpool();
    expect((await host.leftovers()).names).toEqual(names(0, SPILLED + 3));
  });

  it('a crossing that took several turns and a large one are delivered once, as they ended', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    host = smallHost();
    host.exporter.isAway = true;
    calls(SPILLED + 1);
    await tool('waits', () => new Promise((resolve) => setTimeout(resolve, 5, 'late')))();
    text(100_000);
    expect(host.processor.spoolState()?.leftCount).toBe(1);
    host.exporter.isAway = false;
    expect(await host.processor.flush()).toBe(0);
    const last = host.exporter.taken
      .slice(SPILLED + 1)
      .map(({ attributes }) => String(attributes[ATTR_REENACT_OUTPUT]));
    expect(last.map((output) => output.length)).toEqual([100_002, 6]);
    expect((await host.leftovers()).names).toEqual([]);
  });

  it('those of a file that the disk has given up are counted', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    host = smallHost({ spool: { segmentBytesMax: 10_000, bytesMax: 50_000 } });
    host.exporter.isAway = true;
    const count = SPILLED * 2;
    calls(count);
    host.exporter.isAway = false;
    expect(await host.processor.flush()).toBe(0);
    const lost = host.processor.dropped().get('spool-full') ?? 0;
    expect(lost).toBeGreaterThan(SPILLED);
    expect(host.exporter.taken).toHaveLength(count - lost);
  });
});

describe('a disk that does not take it', () => {
  it('leaves recording as it is without a spool, counted, and nothing of it reaches the host', async () => {
    const blocked = join(mkdtempSync(join(tmpdir(), 'reenact-spool-')), 'file');
    writeFileSync(blocked, '');
    const exporter = new FlakyExporter();
    const processor = new RecordingProcessor(exporter, { spool: { directory: join(blocked, 'spool') } });
    expect(text(3)).toBe('xxx');
    expect(processor.spoolState()).toMatchObject({ directory: undefined, unwrittenCount: 1 });
    await processor.shutdown();
    expect(exporter.names).toEqual(['text']);
    rmSync(join(blocked, '..'), { recursive: true });
  });

  it('that is filled up in the middle of a run keeps what it took', async () => {
    host = new SpooledHost();
    host.exporter.isAway = true;
    text(1);
    const { directory = '' } = host.processor.spoolState() ?? {};
    // The next segment cannot be made: a folder in its place, as root ignores permissions.
    rmSync(directory, { recursive: true });
    writeFileSync(directory, '');
    for (let index = 0; index < 100; index += 1) text(60_000);
    expect(host.processor.spoolState()?.unwrittenCount).toBeGreaterThan(0);
    host.exporter.isAway = false;
    await host.processor.forceFlush();
    expect(host.exporter.taken).toHaveLength(101);
    rmSync(directory);
  });

  it('has those counted of which it took only what stands for them', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    host = new SpooledHost({ queueSpansMax: 1 });
    host.exporter.isAway = true;
    text(1);
    const { directory = '' } = host.processor.spoolState() ?? {};
    rmSync(directory, { recursive: true });
    writeFileSync(directory, '');
    for (let index = 0; index < 3; index += 1) text(200_000 + index);
    host.exporter.isAway = false;
    await host.processor.forceFlush();
    expect(host.exporter.taken).toHaveLength(4);
    expect([...host.processor.dropped()]).toEqual([['queue-full', 3]]);
    rmSync(directory);
  });

  it('gives a process that ends what it has no room for, the large ones whole and not as what stands for them', () => {
    host = new SpooledHost();
    host.exporter.isAway = true;
    text(1);
    const { directory = '' } = host.processor.spoolState() ?? {};
    rmSync(directory, { recursive: true });
    writeFileSync(directory, '');
    // Larger than a frame: what stands for each still goes into the segment that is open, the whole would need another.
    for (let index = 0; index < 3; index += 1) text(200_000 + index);
    const { unsaved } = host.processor.closeSpool();
    const payloads = unsaved.map(({ attributes }) => String(attributes[ATTR_REENACT_OUTPUT] ?? '').length);
    expect(payloads).toEqual([200_002, 200_003, 200_004]);
    rmSync(directory);
  });

  it('of somebody else, or switched off, is not used', () => {
    vi.stubEnv('REENACT_SPOOL', 'off');
    const processor = new RecordingProcessor(new FlakyExporter(), { spool: true });
    expect(processor.spoolState()).toBeUndefined();
    vi.unstubAllEnvs();
    void processor.shutdown();
  });
});

describe('the folder', () => {
  it('is made when there is something to keep, and not before', () => {
    host = new SpooledHost();
    expect(host.processor.spoolState()?.directory).toBeUndefined();
    text(1);
    expect(existsSync(host.processor.spoolState()?.directory ?? '')).toBe(true);
  });
});

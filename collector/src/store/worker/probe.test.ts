import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemDisk } from '../files/disk.ts';
import { PROBE_INTERVAL_MS } from '../limits.ts';
import { StoreWriter } from './store-writer.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-probe-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

describe('asking whether appends are taken', () => {
  it('writes to the disk no more than once in a while, and always where the last write failed', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    let syncs = 0;
    let isBroken = false;
    const sync = (file: number, isSizeChanged: boolean): void => {
      syncs += 1;
      if (isBroken) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
      systemDisk.sync(file, isSizeChanged);
    };
    const writer = new StoreWriter({ dataDirectory: folder, disk: { ...systemDisk, sync } });
    writer.control({ type: 'keep', tenant: 'default', traceId: '1'.repeat(32), reason: null });
    const syncsOf = (ask: () => void): number => {
      const before = syncs;
      ask();
      return syncs - before;
    };
    expect(syncsOf(() => writer.probe())).toBe(1);
    expect(syncsOf(() => writer.probe())).toBe(0);
    vi.advanceTimersByTime(PROBE_INTERVAL_MS);
    isBroken = true;
    for (let time = 0; time < 2; time += 1) expect(syncsOf(() => expect(() => writer.probe()).toThrow('EIO'))).toBe(1);
    isBroken = false;
    expect(syncsOf(() => writer.probe())).toBe(1);
    expect(syncsOf(() => writer.probe())).toBe(0);
    writer.close();
  });

  it('is told that they are not where the index alone cannot be written', () => {
    const writer = new StoreWriter({ dataDirectory: folder, disk: systemDisk });
    const keep = () => writer.control({ type: 'keep', tenant: 'default', traceId: '1'.repeat(32), reason: null });
    writer.database.exec(
      `CREATE TRIGGER no_insert BEFORE INSERT ON state BEGIN SELECT RAISE(ABORT, 'disk I/O error'); END`,
    );
    expect(keep).toThrow('disk I/O error');
    for (let time = 0; time < 2; time += 1) expect(() => writer.probe()).toThrow('disk I/O error');
    writer.database.exec('DROP TRIGGER no_insert');
    expect(() => writer.probe()).not.toThrow();
    keep();
    writer.close();
  });
});

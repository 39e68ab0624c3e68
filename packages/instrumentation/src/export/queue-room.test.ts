import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { heapBytesMax } from '../host/heap-bytes.ts';
import { queueRoom } from './queue-room.ts';

const MIB = 1024 * 1024;
const script = new URL('../testdata/away-collector.ts', import.meta.url).pathname;

describe('what waits for a collector that is away', () => {
  it('is as much as the limits say where the heap is as large as it is by itself', () => {
    expect(queueRoom(4_096 * MIB, true)).toEqual({ queueBytesMax: 32 * MIB, spilledSpansMax: 1_000_000 });
    expect(queueRoom(4_096 * MIB, false).queueBytesMax).toBe(128 * MIB);
  });

  it('is a part of a small heap', () => {
    expect(queueRoom(96 * MIB, true)).toEqual({ queueBytesMax: 6 * MIB, spilledSpansMax: 31_457 });
    expect(queueRoom(96 * MIB, false).queueBytesMax).toBe(6 * MIB);
  });

  it.each([
    [[], '--max-old-space-size=96', 96],
    [['--max_old_space_size=64'], '--max-old-space-size=96', 64],
    [['--max-old-space-size', '32'], undefined, 32],
  ])('goes by the size that was named: %j, %s', (parameters, nodeOptions, size) => {
    expect(heapBytesMax(parameters, nodeOptions)).toBe(size * MIB);
  });

  it('goes by what the platform says where none was named', () => {
    expect(heapBytesMax(['--max-old-space-size=0'], undefined)).toBe(heapBytesMax([], ''));
    expect(heapBytesMax([], undefined)).toBeGreaterThan(96 * MIB);
  });

  it.each(['with a spool', 'without'])('does not end a host of a small heap: %s', { timeout: 120_000 }, async (how) => {
    const flags = ['--max-old-space-size=64', '--conditions=@reenact/source', '--no-warnings'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, script, how]);
    expect(stdout).toMatch(
      how === 'without' ? /^called 2500 times, dropped [1-9]\d*$/ : 'called 2500 times, dropped 0',
    );
  });
});

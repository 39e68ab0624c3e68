import { describe, expect, it } from 'vitest';
import { freeChunk, freeMemory } from './free-memory.ts';

describe('memory that nobody uses any more', () => {
  it('is given back at once, whichever view of it is named', () => {
    const memory = Buffer.allocUnsafeSlow(1024 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    freeMemory(memory.subarray(100, 200));
    expect(memory).toHaveLength(0);
    expect(before - process.memoryUsage().arrayBuffers).toBe(1024 * 1024);
  });

  it('is left alone where others may have a part of it', () => {
    const [first, second] = [Buffer.from('shares'), Buffer.from('a pool')];
    expect(first.buffer).toBe(second.buffer);
    freeMemory(first);
    expect(second.toString()).toBe('a pool');
  });

  it('is given back whatever its size where a piece has its memory for itself, and only then', () => {
    const alone = Buffer.allocUnsafeSlow(10);
    const [first, second] = [Buffer.from('shares'), Buffer.from('a pool')];
    for (const chunk of [alone, first]) freeChunk(chunk);
    expect([alone.length, first.toString(), second.toString()]).toEqual([0, 'shares', 'a pool']);
  });
});

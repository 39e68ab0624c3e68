import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REUSED_BYTES_MAX, REUSED_PIECE_BYTES_MAX } from '../limits.ts';
import { ReusedMemory } from './reused-memory.ts';

describe('memory that is used again', () => {
  it('is of the length that was asked for, and never in two hands at once', () => {
    const steps = fc.array(fc.record({ length: fc.nat({ max: REUSED_PIECE_BYTES_MAX * 2 }), back: fc.nat() }), {
      maxLength: 40,
      size: 'max',
    });
    fc.assert(
      fc.property(steps, (taken) => {
        const memory = new ReusedMemory();
        const held: Buffer<ArrayBuffer>[] = [];
        for (const { length, back } of taken) {
          const body = memory.take(length);
          expect(body).toHaveLength(length);
          expect(held.some(({ buffer }) => buffer === body.buffer)).toBe(false);
          held.push(body);
          if (back % 2 === 0) for (const given of held.splice(back % held.length, 1)) memory.give(given.buffer);
        }
      }),
    );
  });

  it('is used again, and what is too large or too much is let go', () => {
    const memory = new ReusedMemory();
    const first = memory.take(100_000);
    memory.give(first.buffer);
    expect(memory.take(90_000).buffer).toBe(first.buffer);
    const large = memory.take(REUSED_PIECE_BYTES_MAX + 1);
    memory.give(large.buffer);
    expect(memory.take(REUSED_PIECE_BYTES_MAX + 1).buffer).not.toBe(large.buffer);
    const many = Array.from({ length: (REUSED_BYTES_MAX / REUSED_PIECE_BYTES_MAX) * 2 }, () =>
      memory.take(REUSED_PIECE_BYTES_MAX),
    );
    for (const body of many) memory.give(body.buffer);
    const again = new Set(many.map(() => memory.take(REUSED_PIECE_BYTES_MAX).buffer));
    expect(many.filter(({ buffer }) => again.has(buffer))).toHaveLength(REUSED_BYTES_MAX / REUSED_PIECE_BYTES_MAX);
  });
});

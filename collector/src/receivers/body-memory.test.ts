import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BODY_MEMORY_BYTES_MAX, POOLED_BODY_BYTES_MAX } from '../limits.ts';
import { BodyMemory } from './body-memory.ts';

describe('memory for bodies', () => {
  it('is of the length that was asked for, and never in two hands at once', () => {
    const steps = fc.array(fc.record({ length: fc.nat({ max: POOLED_BODY_BYTES_MAX * 2 }), back: fc.nat() }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(steps, (taken) => {
        const memory = new BodyMemory();
        const held: Buffer[] = [];
        for (const { length, back } of taken) {
          const body = memory.take(length);
          expect(body).toHaveLength(length);
          expect(held.some(({ buffer }) => buffer === body.buffer)).toBe(false);
          held.push(body);
          if (back % 2 === 0) for (const given of held.splice(back % held.length, 1)) memory.give(given);
        }
      }),
    );
  });

  it('is used again, and what is too large or too much is let go', () => {
    const memory = new BodyMemory();
    const first = memory.take(100_000);
    memory.give(first);
    expect(memory.take(90_000).buffer).toBe(first.buffer);
    const large = memory.take(POOLED_BODY_BYTES_MAX + 1);
    memory.give(large);
    expect(memory.take(POOLED_BODY_BYTES_MAX + 1).buffer).not.toBe(large.buffer);
    const many = Array.from({ length: (BODY_MEMORY_BYTES_MAX / POOLED_BODY_BYTES_MAX) * 2 }, () =>
      memory.take(POOLED_BODY_BYTES_MAX),
    );
    for (const body of many) memory.give(body);
    const again = new Set(many.map(() => memory.take(POOLED_BODY_BYTES_MAX).buffer));
    expect(many.filter(({ buffer }) => again.has(buffer))).toHaveLength(BODY_MEMORY_BYTES_MAX / POOLED_BODY_BYTES_MAX);
  });
});

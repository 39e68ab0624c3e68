import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Admission, type Room } from './admission.ts';

const BYTES_MAX = 1000;

function tryTake(admission: Admission, tenant: string, bytes: number): Room | string {
  const room = admission.enter(tenant);
  try {
    room.atLeast(bytes);
    return room;
  } catch (thrown) {
    return Reflect.get(thrown as object, 'code') as string;
  }
}

/** Takes until refused; what was taken. */
function takeAll(admission: Admission, tenant: string, bytes: number): Room[] {
  const rooms: Room[] = [];
  for (;;) {
    const taken = tryTake(admission, tenant, bytes);
    if (typeof taken === 'string') return rooms;
    rooms.push(taken);
  }
}

describe('admission', () => {
  it('never holds more than its bound, and nothing once everything is released, whatever comes in which order', () => {
    const steps = fc.array(
      fc.record({
        tenant: fc.constantFrom('a', 'b', 'c'),
        bytes: fc.integer({ min: 1, max: BYTES_MAX }),
        drop: fc.nat(),
      }),
      { maxLength: 60, size: 'max' },
    );
    fc.assert(
      fc.property(steps, fc.boolean(), (taken, isShared) => {
        const admission = new Admission(BYTES_MAX, isShared);
        const rooms: Room[] = [];
        for (const { tenant, bytes, drop } of taken) {
          const room = tryTake(admission, tenant, bytes);
          if (typeof room !== 'string') rooms.push(room);
          expect(admission.bytesHeld).toBeLessThanOrEqual(BYTES_MAX);
          if (drop % 3 === 0) rooms.splice(drop % (rooms.length + 1), 1)[0]?.release();
        }
        for (const room of rooms) room.release();
        expect(admission.bytesHeld).toBe(0);
        expect(tryTake(admission, 'a', BYTES_MAX)).not.toBeTypeOf('string');
      }),
    );
  });

  it('lets one that is larger than the bound in alone, and nobody beside it', () => {
    const admission = new Admission(BYTES_MAX);
    const large = admission.enter('a');
    large.atLeast(BYTES_MAX * 5);
    expect(tryTake(admission, 'b', 1)).toBe('store-busy');
    large.release();
    expect(tryTake(admission, 'b', 1)).not.toBeTypeOf('string');
  });

  it('leaves a newcomer room beside a tenant that sends without end', () => {
    const admission = new Admission(BYTES_MAX, true);
    const greedy = takeAll(admission, 'greedy', 10);
    expect(greedy.length * 10).toBeGreaterThanOrEqual(BYTES_MAX * 0.7);
    expect(tryTake(admission, 'greedy', 10)).toBe('tenant-busy');
    const refused = { where: 'tenant greedy', next: expect.stringContaining('bytesInFlightMax'), retryable: true };
    expect(() => admission.enter('greedy').atLeast(10)).toThrow(expect.objectContaining(refused));
    expect(takeAll(admission, 'small', 10).length).toBeGreaterThan(5);
  });

  it('gives tenants that all send without end equal shares', () => {
    const admission = new Admission(BYTES_MAX, true);
    const held = new Map<string, Room[]>([
      ['early', takeAll(admission, 'early', 10)],
      ['late', []],
    ]);
    for (let round = 0; round < 300; round += 1) {
      for (const [tenant, rooms] of held) {
        if (rooms.length > 1) rooms.shift()?.release();
        for (let tries = 0; tries < 3; tries += 1) {
          const room = tryTake(admission, tenant, 10);
          if (typeof room !== 'string') rooms.push(room);
        }
      }
    }
    const [early = 0, late = 0] = [...held.values()].map((rooms) => rooms.length);
    expect(Math.abs(early - late)).toBeLessThanOrEqual(6);
    expect(late).toBeGreaterThan(25);
  });

  it('needs no shares where there is one tenant', () => {
    expect(takeAll(new Admission(BYTES_MAX), 'only', 10)).toHaveLength(BYTES_MAX / 10);
  });
});

describe('a room that was given back', () => {
  it('holds nothing, whatever it is still asked for', () => {
    const admission = new Admission(BYTES_MAX);
    const room = admission.enter('a');
    room.atLeast(1);
    room.release();
    room.atLeast(BYTES_MAX);
    room.release();
    expect(admission.bytesHeld).toBe(0);
  });
});

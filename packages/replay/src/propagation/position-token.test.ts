import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { POSITION_TOKEN_BYTES_MAX } from '../limits.ts';
import {
  baggageWithPosition,
  claimedReplayId,
  createPositionKey,
  positionTokenIn,
  signPosition,
  verifyPosition,
} from './position-token.ts';

const key = createPositionKey();
const nowUnixMs = 1_700_000_000_000;
const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const positions = fc.record({
  replayId: hex(16),
  cursor: fc.option(hex(16), { nil: undefined }),
  expiresUnixMs: fc.integer({ min: 1, max: 10_000_000 }).map((seconds) => nowUnixMs + seconds * 1_000),
});
const faults = ['malformed', 'forged'];

describe('a position token', () => {
  it('comes back as it was signed, through a baggage header with other members', () => {
    fc.assert(
      fc.property(positions, (signed) => {
        const baggage = baggageWithPosition('tenant=acme;p=1, user=u', key, signed);
        expect(baggage.startsWith('tenant=acme;p=1,user=u,')).toBe(true);
        const token = positionTokenIn(baggage) ?? '';
        expect(Buffer.byteLength(token)).toBeLessThanOrEqual(POSITION_TOKEN_BYTES_MAX);
        const { expiresUnixMs: _expiry, ...position } = signed;
        expect(verifyPosition(key, token, nowUnixMs)).toEqual({ type: 'valid', position });
        expect(claimedReplayId(token)).toBe(position.replayId);
      }),
    );
  });

  it('counts until its expiry and not a moment longer', () => {
    fc.assert(
      fc.property(positions, (signed) => {
        const token = signPosition(key, signed);
        expect(verifyPosition(key, token, signed.expiresUnixMs - 1).type).toBe('valid');
        expect(verifyPosition(key, token, signed.expiresUnixMs)).toEqual({ type: 'expired' });
      }),
    );
  });

  it('replaces the position that was there', () => {
    const expiresUnixMs = nowUnixMs + 1_000;
    const first = baggageWithPosition('a=1', key, { replayId: 'r', cursor: '01', expiresUnixMs });
    const second = baggageWithPosition(first, key, { replayId: 'r', cursor: '02', expiresUnixMs });
    expect(second.match(/reenact\.replay=/g)).toHaveLength(1);
    const position = { replayId: 'r', cursor: '02' };
    expect(verifyPosition(key, positionTokenIn(second) ?? '', nowUnixMs)).toEqual({ type: 'valid', position });
  });
});

describe('a token that was tampered with', () => {
  it('is refused when any bit of it was flipped', () => {
    fc.assert(
      fc.property(positions, fc.nat(), fc.nat({ max: 7 }), (signed, place, bit) => {
        const bytes = Buffer.from(signPosition(key, signed), 'latin1');
        const at = place % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        expect(faults).toContain(verifyPosition(key, bytes.toString('latin1'), nowUnixMs).type);
      }),
    );
  });

  it('is refused when any field was exchanged with that of another one', () => {
    fc.assert(
      fc.property(positions, positions, fc.nat({ max: 3 }), (one, other, field) => {
        const [left, right] = [signPosition(key, one).split('.'), signPosition(key, other).split('.')];
        fc.pre(left[field] !== right[field]);
        const mixed = left.map((part, index) => (index === field ? right[field] : part)).join('.');
        expect(verifyPosition(key, mixed, nowUnixMs)).toEqual({ type: 'forged' });
      }),
    );
  });

  it('is refused when fields of it changed places, and when it was cut anywhere', () => {
    fc.assert(
      fc.property(positions, fc.nat(), fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), (signed, place, order) => {
        const token = signPosition(key, signed);
        expect(faults).toContain(verifyPosition(key, token.slice(0, place % token.length), nowUnixMs).type);
        const parts = token.split('.');
        const moved = order.map((index) => parts[index]).join('.');
        fc.pre(moved !== token);
        expect(faults).toContain(verifyPosition(key, moved, nowUnixMs).type);
      }),
    );
  });

  it('is refused under another key, where it is too long, and where it is none at all', () => {
    const token = signPosition(key, { replayId: 'r', cursor: undefined, expiresUnixMs: nowUnixMs + 1_000 });
    expect(verifyPosition(createPositionKey(), token, nowUnixMs)).toEqual({ type: 'forged' });
    expect(verifyPosition(key, `${token}${'x'.repeat(300)}`, nowUnixMs)).toEqual({ type: 'malformed' });
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(faults).toContain(verifyPosition(key, text, nowUnixMs).type);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { POSITION_TOKEN_BYTES_MAX } from '../limits.ts';
import {
  baggageWithPosition,
  createPositionKey,
  positionTokenIn,
  signPosition,
  verifyPosition,
} from './position-token.ts';

const key = createPositionKey();
const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const positions = fc.record({ replayId: hex(16), cursor: fc.option(hex(16), { nil: undefined }) });

describe('a position token', () => {
  it('comes back as it was signed, through a baggage header with other members', () => {
    fc.assert(
      fc.property(positions, (position) => {
        const baggage = baggageWithPosition('tenant=acme;p=1, user=u', key, position);
        expect(baggage.startsWith('tenant=acme;p=1,user=u,')).toBe(true);
        const token = positionTokenIn(baggage) ?? '';
        expect(Buffer.byteLength(token)).toBeLessThanOrEqual(POSITION_TOKEN_BYTES_MAX);
        expect(verifyPosition(key, token)).toEqual(position);
      }),
    );
  });

  it('is refused when any character of it was changed', () => {
    fc.assert(
      fc.property(positions, fc.nat(), fc.constantFrom(...'0123456789abcdefXYZ-_.'), (position, place, character) => {
        const token = signPosition(key, position);
        const at = place % token.length;
        fc.pre(token[at] !== character);
        expect(verifyPosition(key, `${token.slice(0, at)}${character}${token.slice(at + 1)}`)).toBeUndefined();
      }),
    );
  });

  it('is refused under another key, and where it is too long or cut', () => {
    const token = signPosition(key, { replayId: 'r', cursor: undefined });
    expect(verifyPosition(createPositionKey(), token)).toBeUndefined();
    expect(verifyPosition(key, token.slice(0, -1))).toBeUndefined();
    expect(verifyPosition(key, `${token}${'x'.repeat(300)}`)).toBeUndefined();
    expect(verifyPosition(key, '')).toBeUndefined();
  });

  it('replaces the position that was there', () => {
    const first = baggageWithPosition('a=1', key, { replayId: 'r', cursor: '01' });
    const second = baggageWithPosition(first, key, { replayId: 'r', cursor: '02' });
    expect(second.match(/reenact\.replay=/g)).toHaveLength(1);
    expect(verifyPosition(key, positionTokenIn(second) ?? '')).toEqual({ replayId: 'r', cursor: '02' });
  });
});

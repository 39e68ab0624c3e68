import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, isIntact, PAYLOAD_FORMATS, type Payload, payloadOf, verifiedPayload } from '../index.ts';

type Writable = { -readonly [Member in keyof Payload]: Payload[Member] };

const formats = fc.constantFrom(...PAYLOAD_FORMATS);
const texts = fc.string({ unit: 'binary' });

describe('whether a payload is intact', () => {
  it('is told as taking its digest tells it, also where it was verified and somebody has changed it since', () => {
    const change = fc.option(texts, { nil: undefined });
    fc.assert(
      fc.property(formats, texts, change, change, (format, data, otherData, otherText) => {
        const payload: Writable = verifiedPayload(format, data, digestOf(data));
        expect(isIntact(payload)).toBe(true);
        if (otherData !== undefined) payload.data = otherData;
        if (otherText !== undefined) payload.digest = digestOf(otherText);
        expect(isIntact(payload)).toBe(isIntact({ ...payload }));
        expect(isIntact(payload)).toBe(digestOf(payload.data ?? '') === payload.digest);
      }),
    );
  });

  it('cannot be told of one without a text', () => {
    expect(isIntact({ format: 'json', digest: digestOf('1') })).toBe(true);
  });

  it('shows nothing but what every payload has', () => {
    fc.assert(
      fc.property(formats, texts, (format, data) => {
        const verified = verifiedPayload(format, data, digestOf(data));
        expect(JSON.stringify(verified)).toBe(JSON.stringify({ format, data, digest: digestOf(data) }));
        expect({ ...verified }).toEqual({ format, data, digest: payloadOf(format, data).digest });
      }),
    );
  });
});

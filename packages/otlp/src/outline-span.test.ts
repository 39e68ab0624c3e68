import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeSpanJson } from './json-codec.ts';
import { outlineSpanBytes } from './outline-span.ts';
import { decodeSpan, encodeSpan } from './protobuf-codec.ts';
import type { Span } from './span.ts';
import { arbitrarySpan } from './testdata/arbitrary-traces.ts';

const LARGE = 'x'.repeat(200_000);
const ITEM_BYTES_MAX = 100_000;

/** A span in both forms, and with how each is read. */
function formsOf(span: Span) {
  return [
    {
      format: 'json',
      bytes: Buffer.from(JSON.stringify(span)),
      read: (bytes: Uint8Array) => decodeSpanJson(String(bytes)),
    },
    { format: 'protobuf', bytes: encodeSpan(span), read: decodeSpan },
  ] as const;
}

describe('outlineSpanBytes', () => {
  it('leaves out what is large in a span and nothing else, in both forms', () => {
    const large = { key: 'large', value: { stringValue: `"[{\\${LARGE}` } };
    const event = { timeUnixNano: '1', name: 'said', attributes: [large] };
    fc.assert(
      fc.property(arbitrarySpan, (span) => {
        const { attributes = [], events = [] } = span;
        const wide = { ...span, attributes: [large, ...attributes, large], events: [...events, event] };
        for (const { format, bytes, read } of formsOf(wide)) {
          const outlined = read(outlineSpanBytes(bytes, format, ITEM_BYTES_MAX));
          expect(outlined).toMatchObject({ ok: true });
          const { attributes: left = [], events: told = [], ...rest } = outlined.ok ? outlined.value : span;
          const { attributes: _attributes, events: _events, ...wanted } = span;
          expect({ ...rest, attributes: left, events: told }).toEqual({ ...wanted, attributes, events });
        }
      }),
      { numRuns: 100 },
    );
  });

  it('gives a small span, and what is no span, as they are', () => {
    fc.assert(
      fc.property(arbitrarySpan, (span) => {
        for (const { format, bytes } of formsOf(span))
          expect(outlineSpanBytes(bytes, format, ITEM_BYTES_MAX)).toBe(bytes);
      }),
    );
    const broken = Buffer.from(`{"attributes":[{"key":"${LARGE}"}`);
    expect(outlineSpanBytes(broken, 'json', 10)).toBe(broken);
    expect(outlineSpanBytes(broken, 'protobuf', 10)).toBe(broken);
  });
});

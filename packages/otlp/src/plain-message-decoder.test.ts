import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageType } from './message-type.ts';
import { decodePlainMessage } from './plain-message-decoder.ts';
import { decodeAnyMessage, encodeLogRecord, encodeSpan } from './protobuf-codec.ts';
import type { Span } from './span.ts';
import { arbitraryLogRecord, arbitrarySpan } from './testdata/arbitrary-traces.ts';

const ATTRIBUTES = [
  { key: 'text', value: { stringValue: 'crème brûlée 売' } },
  { key: 'count', value: { intValue: '1200' } },
  { key: 'is', value: { boolValue: true } },
  { key: 'share', value: { doubleValue: 0.5 } },
  { key: 'list', value: { arrayValue: { values: [{ stringValue: 'a' }, {}] } } },
];

const SPAN: Span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: 'b7ad6b7169203332',
  flags: 257,
  name: 'chat',
  kind: 3,
  startTimeUnixNano: '1763700000001000001',
  endTimeUnixNano: '1763700000001000002',
  attributes: ATTRIBUTES,
  events: [{ timeUnixNano: '1763700000001000001', name: 'exception', attributes: ATTRIBUTES }],
  status: { message: 'no', code: 2 },
};

/** Fails where bytes are read otherwise than by protobufjs, members in another order included. Whether they are plain. */
function check(name: string, bytes: Uint8Array): boolean {
  const plain = decodePlainMessage(messageType(name), bytes);
  if (plain === undefined) return false;
  const decoded = decodeAnyMessage(name, bytes);
  expect(decoded).toEqual({ ok: true, value: plain, isLossless: true });
  expect(JSON.stringify(plain)).toBe(JSON.stringify(decoded.ok && decoded.value));
  return true;
}

describe('the decoder of plain messages', () => {
  it('reads an ordinary span', () => {
    expect(check('Span', encodeSpan(SPAN))).toBe(true);
    expect(decodePlainMessage(messageType('Span'), encodeSpan(SPAN))).toEqual(SPAN);
  });

  it('reads spans and log records as protobufjs does, or leaves them to it', () => {
    fc.assert(
      fc.property(arbitrarySpan, arbitraryLogRecord, (span, record) => {
        check('Span', encodeSpan(span));
        check('LogRecord', encodeLogRecord(record));
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads damaged messages as protobufjs does, or leaves them to it', () => {
    const edit = fc.record({ at: fc.nat(), byte: fc.nat({ max: 255 }) });
    const span = fc.oneof(arbitrarySpan, fc.constant(SPAN));
    let plain = 0;
    fc.assert(
      fc.property(span, fc.array(edit, { minLength: 1, maxLength: 3 }), fc.nat(), (given, edits, cut) => {
        const bytes = Buffer.from(encodeSpan(given));
        for (const { at, byte } of edits) bytes[at % bytes.length] = byte;
        if (check('Span', bytes)) plain += 1;
        if (check('Span', bytes.subarray(0, cut % bytes.length))) plain += 1;
      }),
      { numRuns: 5_000 },
    );
    expect(plain).toBeGreaterThan(100);
  });

  it.each([
    ['an unknown field', [0xd2, 0x3e, 1, 42]],
    ['a name that comes twice', [0x2a, 1, 0x61]],
    ['a status in two pieces', [0x7a, 2, 0x18, 1]],
    ['a field of another wire type', [0x28, 1]],
    ['a name that is not UTF-8', [0x1a, 1, 0xff]],
    ['a text that is cut off', [0x1a, 9, 0x61]],
    ['a number of many bytes', [0x50, 0xff, 0xff, 0xff, 0xff, 0x01]],
    ['an attribute with two values', [0x4a, 9, 0x0a, 1, 0x61, 0x12, 4, 0x10, 1, 0x18, 1]],
  ])('leaves %s to protobufjs', (_what, more) => {
    const bytes = Buffer.concat([encodeSpan(SPAN), Buffer.from(more)]);
    expect(decodePlainMessage(messageType('Span'), bytes)).toBeUndefined();
  });
});

import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeTracesJson, encodeTracesJson } from './json-codec.ts';
import {
  decodeLogRecord,
  decodeSpan,
  decodeTracesProtobuf,
  encodeLogRecord,
  encodeSpan,
  encodeTracesProtobuf,
} from './protobuf-codec.ts';
import { arbitraryLogRecord, arbitraryTraces } from './testdata/arbitrary-traces.ts';

const SPAN = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', name: 'a' };
const TIMES = { startTimeUnixNano: '1763700000001000001', endTimeUnixNano: '1763700000001000002' };

describe('the protobuf codec', () => {
  it('gives back every trace it encoded', () => {
    fc.assert(
      fc.property(arbitraryTraces, (data) => {
        const decoded = decodeTracesProtobuf(encodeTracesProtobuf(data));
        expect(decoded).toEqual({ ok: true, value: data, isLossless: true });
      }),
      { numRuns: 500 },
    );
  });

  it('gives back every log record it encoded', () => {
    fc.assert(
      fc.property(arbitraryLogRecord, (record) => {
        expect(decodeLogRecord(encodeLogRecord(record))).toEqual({ ok: true, value: record, isLossless: true });
      }),
      { numRuns: 300 },
    );
  });

  it('agrees with the JSON form', () => {
    fc.assert(
      fc.property(arbitraryTraces, (data) => {
        const throughJson = decodeTracesJson(encodeTracesJson(data));
        expect(throughJson).toEqual({ ok: true, data, rejected: { count: 0, problems: [], byCode: new Map() } });
      }),
      { numRuns: 500 },
    );
  });

  it('decodes a span with invalid UTF-8 and says that something was lost', () => {
    const bytes = Buffer.from(encodeSpan({ ...SPAN, ...TIMES, name: 'aXb' }));
    bytes[bytes.indexOf('X')] = 0xff;
    const decoded = decodeSpan(bytes);
    expect(decoded).toMatchObject({ ok: true, isLossless: false, value: { name: 'a\ufffdb', ...TIMES } });
  });

  it('does not mistake a real replacement character for a loss', () => {
    expect(decodeSpan(encodeSpan({ ...SPAN, ...TIMES, name: '\ufffd' }))).toMatchObject({ isLossless: true });
  });

  it('says that unknown fields were left out, at any depth', () => {
    const unknownField = [0xd2, 0x3e, 1, 42];
    const top = Buffer.concat([encodeSpan({ ...SPAN, ...TIMES }), Buffer.from(unknownField)]);
    expect(decodeSpan(top)).toMatchObject({ ok: true, isLossless: false, value: { name: 'a' } });
    const status = Buffer.concat([encodeSpan({ ...SPAN, ...TIMES }), Buffer.from([0x7a, 4, ...unknownField])]);
    expect(decodeSpan(status)).toMatchObject({ ok: true, isLossless: false });
  });

  it('reads a zero parent as no parent', () => {
    const zeroParent = Buffer.from([0x22, 8, 0, 0, 0, 0, 0, 0, 0, 0]);
    const decoded = decodeSpan(Buffer.concat([encodeSpan({ ...SPAN, ...TIMES }), zeroParent]));
    expect(decoded.ok && 'parentSpanId' in decoded.value).toBe(false);
  });

  it('reports bytes that are not a span instead of throwing', () => {
    expect(decodeSpan(Buffer.from([0x0a, 0x7f, 1]))).toMatchObject({ ok: false, problem: { code: 'bad-shape' } });
  });
});

describe('text', () => {
  it('writes half of a surrogate pair, which JSON may spell, as U+FFFD: a strict reader refuses all of a request for it', () => {
    const text = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) });
    fc.assert(
      fc.property(text, (name) => {
        const span = { ...SPAN, ...TIMES, name, attributes: [{ key: 'a', value: { stringValue: name } }] };
        const bytes = Buffer.from(encodeSpan(span));
        expect(decodeSpan(bytes)).toMatchObject({ ok: true, isLossless: true, value: { name: name.toWellFormed() } });
      }),
    );
    const halves = Buffer.from(encodeSpan({ ...SPAN, ...TIMES, name: '\ud800' }));
    expect(isUtf8(halves.subarray(halves.indexOf(0x2a) + 2, halves.indexOf(0x39)))).toBe(true);
  });
});

describe('a NaN', () => {
  /** A span with an attribute of these eight bytes. */
  function spanWith(double: string): Uint8Array {
    const attribute = { key: 'a', value: { doubleValue: 'NaN' as const } };
    const bytes = Buffer.from(encodeSpan({ ...SPAN, ...TIMES, attributes: [attribute] }));
    const at = bytes.indexOf(Buffer.from('000000000000f87f', 'hex'));
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(double, 'hex'), bytes.subarray(at + 8)]);
  }

  it.each([
    ['of the bits that every reader makes of it', '000000000000f87f', true],
    ['as Go makes it', '010000000000f87f', false],
    ['as a division makes it', '000000000000f8ff', false],
    ['with something in it', '112233445566f47f', false],
  ])('%s: whether its name gives it back is said', (_, bits, isLossless) => {
    const attributes = [{ key: 'a', value: { doubleValue: 'NaN' } }];
    expect(decodeSpan(spanWith(bits))).toMatchObject({ ok: true, isLossless, value: { attributes } });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPlain } from './attributes.ts';
import { decodeLogsJson, decodeSpanJson, decodeTracesJson, normaliseJson } from './json-codec.ts';
import { walkLogsJson, walkTracesJson } from './json-request-walker.ts';
import { isPlainMessage } from './plain-shape.ts';
import type { Rejections } from './problem.ts';
import type { SpanSlice } from './slice.ts';
import { arbitraryLogRecord, arbitrarySpan } from './testdata/arbitrary-traces.ts';
import { describeFacts } from './testdata/describe-facts.ts';

const CASES = 4000;
const NUMBER = /^"-number:(.*)"$/;

/** Values that JSON can hold where another was; text that starts with "-number:" is written as this number, digit by digit. */
const oddity: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, '', true, 0, -0, -1, 1.5, 5, 2 ** 31, 2 ** 32, 2 ** 53, 1e300, [], [null], {}, ['x']),
  fc.constantFrom('NaN', 'Infinity', 'SPAN_KIND_CLIENT', 'STATUS_CODE_ERROR', '-5', '+5', '1e3', '1.0', ' 1', 'ÿ'),
  fc.constantFrom('0'.repeat(16), '0'.repeat(32), 'A'.repeat(16), 'AbCdEf0123456789'.repeat(2), 'b7ad6b7169203331zz'),
  fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }).map(String),
  fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }).map((value) => `-number:${value}`),
  fc.uint8Array({ minLength: 7, maxLength: 17 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
);

type Change = { readonly at: number; readonly value: unknown };

const changes = fc.array(fc.record({ at: fc.nat(), value: oddity }), { maxLength: 3 });

/** Every member and element of a value, with what it is in. */
function placesIn(value: unknown): [holder: object, key: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[value, key], ...placesIn(inner)] as [object, string][]);
}

/** The text of an item, with some of its values replaced by odd ones. */
function textWith(item: object, edits: readonly Change[]): string {
  const copy = structuredClone(item);
  for (const { at, value } of edits) {
    const places = placesIn(copy);
    const [holder, key] = places[at % Math.max(places.length, 1)] ?? [copy, 'name'];
    // A later change may be of what this one put in, which all cases share.
    Reflect.set(holder, key, structuredClone(value));
  }
  return JSON.stringify(copy, null, edits.length).replaceAll(
    /"-number:[^"]*"/g,
    (text) => NUMBER.exec(text)?.[1] ?? '0',
  );
}

const rejectionsOf = ({ count, problems, byCode }: Rejections) => ({
  count,
  byCode,
  problems: problems.map(({ code, message, position }) => ({ code, message, position })),
});

describe('items that are read without normalising them', () => {
  it('are those that normalising accepts, spans', () => {
    fc.assert(
      fc.property(arbitrarySpan, changes, (span, edits) => {
        const value: unknown = JSON.parse(textWith(span, edits));
        // An id is looked at by who reads the facts.
        if (isPlainMessage('Span', value) && !normaliseJson('Span', value).ok)
          expect(normaliseJson('Span', value)).toMatchObject({
            problem: { code: expect.stringMatching(/^bad-(trace|span)-id$/) },
          });
      }),
      { numRuns: CASES },
    );
  });

  it('say what normalising them says, spans', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(arbitrarySpan, changes), { maxLength: 3 }), (items) => {
        const texts = items.map(([span, edits]) => textWith(span, edits));
        const request = `{"resourceSpans":[{"scopeSpans":[{"spans":[${texts.join()}]}]}]}`;
        const [walked, decoded] = [walkTracesJson(Buffer.from(request)), decodeTracesJson(request)];
        if (!walked.ok || !decoded.ok) expect.fail('the request is JSON');
        const spans = decoded.data.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
        expect(rejectionsOf(walked.rejected)).toEqual(rejectionsOf(decoded.rejected));
        expect(walked.spans.map(describeFacts)).toEqual(spans.map((span) => describeFacts({ span })));
        for (const [index, slice] of walked.spans.entries()) {
          const { attributes = [] } = spans[index] ?? {};
          const keys = [...new Set(attributes.map(({ key }) => key))];
          expect(slice.attributesPresent([...keys, 'not there'])).toEqual(new Set(keys));
          for (const key of keys)
            expect(slice.attribute(key)).toEqual(
              toPlain(attributes.findLast((attribute) => attribute.key === key)?.value),
            );
          expect(decodeSpanJson(Buffer.from(slice.bytes).toString())).toEqual({ ok: true, value: spans[index] });
        }
      }),
      { numRuns: CASES },
    );
  });

  it('say what normalising them says, log records', () => {
    fc.assert(
      fc.property(arbitraryLogRecord, changes, (record, edits) => {
        const request = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${textWith(record, edits)}]}]}]}`;
        const [walked, decoded] = [walkLogsJson(Buffer.from(request)), decodeLogsJson(request)];
        if (!walked.ok || !decoded.ok) expect.fail('the request is JSON');
        expect(rejectionsOf(walked.rejected)).toEqual(rejectionsOf(decoded.rejected));
        const [known] = decoded.data.resourceLogs[0]?.scopeLogs[0]?.logRecords ?? [];
        if (known === undefined) return;
        const time = known.timeUnixNano ?? '0';
        expect(walked.records[0]?.facts).toEqual({
          traceId: known.traceId ?? '',
          spanId: known.spanId ?? '',
          timeUnixNano: BigInt(time === '0' ? (known.observedTimeUnixNano ?? '0') : time),
        });
      }),
      { numRuns: CASES },
    );
  });
});

describe('isPlainMessage', () => {
  it('holds for nearly all that senders send', () => {
    const ids = { traceId: '0AF7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentSpanId: '' };
    const times = { startTimeUnixNano: '1763700000001000001', endTimeUnixNano: 1763700000 };
    const attributes = [
      { key: 'tokens', value: { intValue: '12' } },
      { key: 'temperature', value: { doubleValue: 0.5 } },
      { key: 'list', value: { arrayValue: { values: [{ stringValue: 'a' }, { boolValue: true }] } } },
    ];
    expect(isPlainMessage('Span', { ...ids, ...times, name: 'chat', kind: 3, attributes, status: { code: 2 } })).toBe(
      true,
    );
    expect(isPlainMessage('LogRecord', { ...ids, timeUnixNano: '1', body: { stringValue: 'x' }, own: 1 })).toBe(true);
    expect(isPlainMessage('Span', { ...ids, startTimeUnixNano: 2 ** 60 })).toBe(false);
  });
});

describe('the attributes of a span that was cut out', () => {
  it('are the same whichever of them are at hand', () => {
    fc.assert(
      fc.property(arbitrarySpan, changes, fc.nat(), (span, edits, chosen) => {
        const request = Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[${textWith(span, edits)}]}]}]}`);
        const keys = [...(span.attributes ?? []).map(({ key }) => key), 'not there'];
        const readWith = (keysAtHand: readonly string[]) => {
          const walked = walkTracesJson(request, new Set(keysAtHand));
          if (!walked.ok) expect.fail('the request is JSON');
          const read = (slice: SpanSlice) => keys.map((key) => [slice.attribute(key), slice.attributesPresent([key])]);
          return walked.spans.map((slice) => [slice.attributesPresent(keys), read(slice)]);
        };
        const parsedAgain = readWith([]);
        expect(readWith(keys)).toEqual(parsedAgain);
        expect(readWith(keys.slice(chosen % keys.length))).toEqual(parsedAgain);
      }),
      { numRuns: CASES / 4 },
    );
  });
});

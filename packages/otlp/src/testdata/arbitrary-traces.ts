import fc from 'fast-check';
import type { AnyValue, KeyValue, LogRecord, Resource, Span, SpanEvent, SpanLink, TracesData } from '../span.ts';

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .filter((id) => id.some((byte) => byte !== 0))
    .map((id) => Buffer.from(id).toString('hex'));
const base64 = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const count = fc.nat({ max: 2 ** 32 - 1 });
const time = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const text = fc.string({ unit: 'grapheme', maxLength: 12 });

/** Text as emitters write it: not empty, so that "sent empty" and "not sent" need not be told apart. */
const word = text.filter((value) => value !== '');

const double = fc.oneof(
  fc.double({ noDefaultInfinity: true, noNaN: true }).filter((value) => !Object.is(value, -0)),
  fc.constantFrom('NaN' as const, 'Infinity' as const, '-Infinity' as const, '-0' as const),
);

const leaf: fc.Arbitrary<AnyValue> = fc.oneof(
  fc.constant({}),
  fc.record({ stringValue: text }),
  fc.record({ boolValue: fc.boolean() }),
  fc.record({ intValue: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String) }),
  fc.record({ doubleValue: double }),
  fc.record({ bytesValue: base64 }),
);

const anyValue: fc.Arbitrary<AnyValue> = fc.letrec<{ value: AnyValue; pair: KeyValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.record({ arrayValue: fc.record({ values: fc.array(tie('value'), { maxLength: 3 }) }) }),
    fc.record({ kvlistValue: fc.record({ values: fc.array(tie('pair'), { maxLength: 3 }) }) }),
  ),
  pair: fc.record({ key: text, value: tie('value') }),
})).value;

const attributes: fc.Arbitrary<KeyValue[]> = fc.array(fc.record({ key: text, value: anyValue }), {
  minLength: 1,
  maxLength: 4,
});

const event: fc.Arbitrary<SpanEvent> = fc.record(
  { timeUnixNano: time, name: text, attributes, droppedAttributesCount: count },
  { requiredKeys: ['timeUnixNano', 'name'] },
);

const link: fc.Arbitrary<SpanLink> = fc.record(
  { traceId: hex(16), spanId: hex(8), traceState: word, attributes, droppedAttributesCount: count, flags: count },
  { requiredKeys: ['traceId', 'spanId'] },
);

/** Any span OTLP/JSON can hold, in canonical form. */
export const arbitrarySpan: fc.Arbitrary<Span> = fc.record(
  {
    traceId: hex(16),
    spanId: hex(8),
    traceState: word,
    parentSpanId: hex(8),
    flags: count,
    name: text,
    kind: fc.integer({ min: 0, max: 5 }),
    startTimeUnixNano: time,
    endTimeUnixNano: time,
    attributes,
    droppedAttributesCount: count,
    events: fc.array(event, { minLength: 1, maxLength: 2 }),
    droppedEventsCount: count,
    links: fc.array(link, { minLength: 1, maxLength: 2 }),
    droppedLinksCount: count,
    status: fc.record({ message: word, code: fc.constantFrom(0, 1, 2) }, { requiredKeys: [] }),
  },
  { requiredKeys: ['traceId', 'spanId', 'name', 'startTimeUnixNano', 'endTimeUnixNano'] },
);

/** Any log record, with and without ids. */
export const arbitraryLogRecord: fc.Arbitrary<LogRecord> = fc.record(
  {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    severityNumber: fc.integer({ min: 0, max: 24 }),
    severityText: word,
    body: anyValue,
    attributes,
    droppedAttributesCount: count,
    flags: count,
    traceId: hex(16),
    spanId: hex(8),
    eventName: word,
  },
  { requiredKeys: [] },
);

const resource: fc.Arbitrary<Resource> = fc.record(
  { attributes, droppedAttributesCount: count },
  { requiredKeys: ['attributes'] },
);
const scope = fc.record(
  { name: text, version: word, attributes, droppedAttributesCount: count },
  { requiredKeys: ['name'] },
);

/** Any traces request, groups without members included. */
export const arbitraryTraces: fc.Arbitrary<TracesData> = fc.record({
  resourceSpans: fc.array(
    fc.record(
      {
        resource,
        scopeSpans: fc.array(
          fc.record(
            { scope, spans: fc.array(arbitrarySpan, { maxLength: 3 }), schemaUrl: word },
            { requiredKeys: ['spans'] },
          ),
          { maxLength: 3 },
        ),
        schemaUrl: word,
      },
      { requiredKeys: ['scopeSpans'] },
    ),
    { maxLength: 3 },
  ),
});

import { type Attributes, createTraceState, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestWriter, type SerializeRequest } from './request-writer.ts';

const theirs: SerializeRequest = (spans) => JsonTraceSerializer.serializeRequest(spans);

const resource = resourceFromAttributes({ 'service.name': 'shop', 'process.pid': 7 });

function spanOf(members: Partial<ReadableSpan> = {}): ReadableSpan {
  return {
    name: 'execute_tool get_quote',
    kind: SpanKind.CLIENT,
    spanContext: () => ({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 }),
    startTime: [1_763_700_000, 1],
    endTime: [1_763_700_001, 999_999_999],
    duration: [1, 999_999_998],
    status: { code: SpanStatusCode.UNSET },
    attributes: {},
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: 'reenact', version: '1', schemaUrl: 'https://example.com/schema' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
    ...members,
  };
}

/** A writer that has been found to write as the serializer does, and the count of requests it left to that. */
function decided(): { readonly writer: SerializeRequest; readonly leftToTheirs: () => number } {
  let count = 0;
  const writer = requestWriter((spans) => {
    count += 1;
    return theirs(spans);
  });
  writer([spanOf()]);
  return { writer, leftToTheirs: () => count - 1 };
}

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

function expectAsTheirs(spans: ReadableSpan[]): void {
  const { writer, leftToTheirs } = decided();
  expect(textOf(writer(spans))).toBe(textOf(theirs(spans)));
  expect(leftToTheirs()).toBe(0);
}

const json = JSON.stringify({ text: 'a "quote", né  \u0000 and \ud800'.repeat(40) });
const context = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16), traceFlags: 0x1ff };

const spans: readonly (readonly [string, Partial<ReadableSpan>])[] = [
  ['no attributes', {}],
  ['long texts that are equal', { attributes: { shown: json, text: json } }],
  ['a long text before the list that holds it', { attributes: { shown: json, text: `[${json}]`, again: json } }],
  ['a long text after the list that holds it', { attributes: { text: `[${json}]`, shown: json } }],
  [
    'long texts that differ',
    { attributes: { one: json, other: json.replace('né', 'no'), list: `[${json.slice(1)} ]` } },
  ],
  ['numbers', { attributes: { a: 1, b: -0, c: 1.5, d: 1e21, e: Number.NaN, f: Number.POSITIVE_INFINITY } }],
  ['lists and truths', { attributes: { a: ['x', 'y'], b: [], c: [true, false], d: [1, 2.5], e: true } }],
  [
    'what no SDK lets through',
    { attributes: { a: null, b: undefined, c: { d: 'e' }, f: Buffer.from([255]) } as never },
  ],
  ['a parent elsewhere', { parentSpanContext: { ...context, isRemote: true } }],
  ['a parent without an id', { parentSpanContext: { ...context, spanId: '' } }],
  ['a trace state', { spanContext: () => ({ ...context, traceState: createTraceState('a=b,c=d') }) }],
  ['a status that says why', { status: { code: SpanStatusCode.ERROR, message: 'it "failed"' } }],
  ['times before the epoch, and parts of a nanosecond', { startTime: [0, 5], endTime: [-1, 1.5] }],
  ['a scope without anything', { instrumentationScope: { name: '' } }],
  [
    'links',
    {
      links: [
        { context: { ...context, isRemote: true, traceState: createTraceState('a=b') } },
        { context, attributes: { a: 1 }, droppedAttributesCount: 2 },
      ],
    },
  ],
  [
    'events',
    {
      events: [
        { name: 'é', time: [1, 2] },
        { name: 'x', time: [1, 2], attributes: { a: 'b' }, droppedAttributesCount: 3 },
      ],
    },
  ],
  ['counts of what was dropped', { droppedAttributesCount: 1, droppedEventsCount: 2, droppedLinksCount: 3 }],
];

describe('a request', () => {
  it.each(spans)("is written byte for byte as by OpenTelemetry's exporter: a span with %s", (_name, members) => {
    expectAsTheirs([spanOf(members)]);
  });

  it('is written so with any attributes', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 600, size: 'max' }),
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.array(fc.string()),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), (attributes) =>
        expectAsTheirs([spanOf({ attributes: attributes as Attributes })]),
      ),
    );
  });

  it('is written so of no span, of several scopes and resources, and again after a large one', () => {
    const other = resourceFromAttributes({ 'service.name': 'other' }, { schemaUrl: 'https://example.com/other' });
    const scope = { name: 'host', attributes: { a: 1 } };
    const several = [spanOf(), spanOf({ resource: other }), spanOf({ instrumentationScope: scope }), spanOf()];
    expectAsTheirs([]);
    expectAsTheirs(several);
    const { writer } = decided();
    const large = writer([spanOf({ attributes: { text: 'é'.repeat(5_000_000) } })]);
    expect(large?.length).toBeGreaterThan(10_000_000);
    const first = writer(several);
    writer([spanOf({ name: 'the next' })]);
    expect(textOf(first)).toBe(textOf(theirs(several)));
  });

  it('is left to a serializer that writes otherwise', () => {
    const bytes = Buffer.from('protobuf');
    const writer = requestWriter(() => bytes);
    for (const _ of [1, 2]) expect(writer([spanOf()])).toBe(bytes);
  });

  it('is left to the serializer where a span cannot be read', () => {
    const { writer, leftToTheirs } = decided();
    const broken = spanOf({ startTime: [Number.NaN, 0] });
    expect(() => writer([broken])).toThrow(RangeError);
    expect(leftToTheirs()).toBe(1);
    expect(textOf(writer([spanOf()]))).toBe(textOf(theirs([spanOf()])));
  });
});

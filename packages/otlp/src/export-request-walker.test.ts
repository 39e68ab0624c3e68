import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { walkLogsProtobuf, walkTracesProtobuf } from './export-request-walker.ts';
import { writeExportRequest } from './export-request-writer.ts';
import { ANY_VALUE_DEPTH_MAX } from './limits.ts';
import { decodeResource, decodeScope, decodeSpan, encodeLogsProtobuf, encodeTracesProtobuf } from './protobuf-codec.ts';
import type { SpanSlice } from './slice.ts';
import type { AnyValue, ResourceSpans, Span, TracesData } from './span.ts';
import { arbitraryLogRecord, arbitraryTraces } from './testdata/arbitrary-traces.ts';
import { describeFacts } from './testdata/describe-facts.ts';

const SPAN: Span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  name: 'chat',
  startTimeUnixNano: '1',
  endTimeUnixNano: '2',
};

function slice(bytes: Uint8Array): readonly SpanSlice[] {
  const walked = walkTracesProtobuf(bytes);
  if (!walked.ok) expect.fail(walked.problem.message);
  return walked.spans;
}

function request(...spans: Uint8Array[]): Buffer {
  const framed = spans.map((span) => Buffer.concat([Buffer.from([0x12, span.length]), span]));
  const scope = Buffer.concat(framed);
  const resource = Buffer.concat([Buffer.from([0x12, scope.length]), scope]);
  return Buffer.concat([Buffer.from([0x0a, resource.length]), resource]);
}

function spanWith(traceId: Uint8Array, spanId: Uint8Array, ...rest: number[]): Buffer {
  const ids = [Buffer.from([0x0a, traceId.length]), traceId, Buffer.from([0x12, spanId.length]), spanId];
  return Buffer.concat([...ids, Buffer.from(rest)]);
}

const GOOD_TRACE_ID = Buffer.alloc(16, 1);
const GOOD_SPAN_ID = Buffer.alloc(8, 2);

/** Every span of the request with its groups, in order. */
function flatten(data: TracesData): { group: ResourceSpans; scope: unknown; span: Span }[] {
  return data.resourceSpans.flatMap((group) =>
    group.scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ group, scope, span }))),
  );
}

describe('walkTracesProtobuf', () => {
  it('finds the spans, groups and index fields that protobufjs encoded', () => {
    fc.assert(
      fc.property(arbitraryTraces, (data) => {
        const expected = flatten(data);
        const spans = slice(encodeTracesProtobuf(data));
        expect(spans.map(({ bytes }) => decodeSpan(bytes))).toEqual(
          expected.map(({ span }) => ({ ok: true, value: span, isLossless: true })),
        );
        expect(spans.map(describeFacts)).toEqual(expected.map(({ span }) => describeFacts({ span })));
        expect(spans.map(({ resource }) => resource.schemaUrl)).toEqual(
          expected.map(({ group }) => group.schemaUrl ?? ''),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('gives back requests written from its own slices', () => {
    fc.assert(
      fc.property(arbitraryTraces, (data) => {
        const spans = slice(encodeTracesProtobuf(data));
        const again = slice(writeExportRequest(spans));
        const sortable = (found: readonly SpanSlice[]) =>
          found
            .map(({ bytes, resource, scope }) => [bytes, resource, scope].map((part) => JSON.stringify(part)))
            .sort();
        expect(sortable(again)).toEqual(sortable(spans));
      }),
      { numRuns: 200 },
    );
  });

  it('reads any one attribute without the others', () => {
    fc.assert(
      fc.property(arbitraryTraces, (data) => {
        for (const span of slice(encodeTracesProtobuf(data))) {
          const decoded = decodeSpan(span.bytes);
          const attributes = (decoded.ok ? decoded.value.attributes : undefined) ?? [];
          const keys = attributes.map(({ key }) => key);
          expect(span.attributesPresent([...keys, 'not there'])).toEqual(new Set(keys));
          for (const key of keys) expect(span.attribute(key)).not.toBe(undefined);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('walkTracesProtobuf on unusual but legal bytes', () => {
  it('accepts members after their group and merges a resource sent in pieces', () => {
    const good = spanWith(GOOD_TRACE_ID, GOOD_SPAN_ID);
    const scopeSpans = Buffer.concat([Buffer.from([0x12, good.length]), good, Buffer.from([0x1a, 1, 0x75])]);
    const piece = (name: string) => Buffer.from([0x0a, 5, 0x0a, 3, 0x0a, 1, name.charCodeAt(0)]);
    const group = Buffer.concat([piece('a'), Buffer.from([0x12, scopeSpans.length]), scopeSpans, piece('b')]);
    const [span] = slice(Buffer.concat([Buffer.from([0x0a, group.length]), group]));
    const resource = decodeResource(span?.resource.bytes ?? Buffer.alloc(0));
    expect(resource.ok && resource.value.attributes.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(span?.scope.schemaUrl).toBe('u');
    expect(decodeScope(span?.scope.bytes ?? Buffer.alloc(9))).toMatchObject({ ok: true, value: { name: '' } });
  });

  it('takes the last key of an attribute that has two', () => {
    const attribute = [0x4a, 10, 0x0a, 1, 0x61, 0x12, 2, 0x10, 1, 0x0a, 1, 0x62];
    const [span] = slice(request(spanWith(GOOD_TRACE_ID, GOOD_SPAN_ID, ...attribute)));
    expect(span?.attributesPresent(['a', 'b'])).toEqual(new Set(['b']));
    expect(span?.attribute('b')).toBe(true);
  });

  it('keeps a status code when a later piece of the status brings only a message', () => {
    const [span] = slice(request(spanWith(GOOD_TRACE_ID, GOOD_SPAN_ID, 0x7a, 2, 0x18, 2, 0x7a, 3, 0x12, 1, 0x61)));
    expect(decodeSpan(span?.bytes ?? Buffer.alloc(0))).toMatchObject({ value: { status: { code: 2, message: 'a' } } });
  });

  it('steps over unknown fields and groups, and over known numbers with another wire type', () => {
    const unknown = [0xd2, 0x3e, 1, 42, 0x9b, 0x3f, 0x08, 1, 0x9c, 0x3f, 0x28, 5];
    const [span] = slice(request(spanWith(GOOD_TRACE_ID, GOOD_SPAN_ID, ...unknown)));
    expect(span?.bytes.length).toBe(28 + unknown.length);
  });
});

describe('items where OTLP had them before 0.15', () => {
  const lengthened = (tag: readonly number[], bytes: Buffer) =>
    Buffer.concat([Buffer.from([...tag, bytes.length]), bytes]);
  /** Two items in the old place of a group, and one in the new. */
  const mixed = (item: Buffer): Buffer => {
    const old = lengthened([0xc2, 0x3e], Buffer.concat([lengthened([0x12], item), lengthened([0x12], item)]));
    return lengthened([0x0a], Buffer.concat([old, lengthened([0x12], lengthened([0x12], item))]));
  };

  it('are rejected by name, one by one, and the others taken', () => {
    const traces = walkTracesProtobuf(mixed(spanWith(GOOD_TRACE_ID, GOOD_SPAN_ID)));
    const problems = [0, 1].map((position) => ({
      code: 'bad-shape',
      position,
      message: expect.stringContaining('instrumentation_library_spans'),
    }));
    expect(traces).toMatchObject({ ok: true, rejected: { count: 2, problems } });
    expect(traces.ok && traces.spans.length).toBe(1);
    const logs = walkLogsProtobuf(mixed(Buffer.from([0x09, 1, 0, 0, 0, 0, 0, 0, 0])));
    expect(logs).toMatchObject({ ok: true, rejected: { count: 2, byCode: new Map([['bad-shape', 2]]) } });
    expect(logs.ok && logs.records.length).toBe(1);
  });

  it('make the request malformed where they cannot be told apart', () => {
    const broken = lengthened([0x0a], lengthened([0xc2, 0x3e], Buffer.from([0x12, 9, 1])));
    expect(walkTracesProtobuf(broken)).toMatchObject({ ok: false, problem: { code: 'truncated' } });
  });
});

describe('walkTracesProtobuf on bad spans', () => {
  const good = spanWith(GOOD_TRACE_ID, GOOD_SPAN_ID);
  it.each([
    ['bad-trace-id', spanWith(Buffer.alloc(15, 1), GOOD_SPAN_ID)],
    ['bad-trace-id', spanWith(Buffer.alloc(16), GOOD_SPAN_ID)],
    ['bad-trace-id', spanWith(Buffer.alloc(0), GOOD_SPAN_ID)],
    ['bad-span-id', spanWith(GOOD_TRACE_ID, Buffer.alloc(9, 1))],
    ['bad-span-id', spanWith(GOOD_TRACE_ID, Buffer.alloc(8))],
    ['bad-parent-span-id', spanWith(GOOD_TRACE_ID, GOOD_SPAN_ID, 0x22, 1, 1)],
    ['truncated', spanWith(GOOD_TRACE_ID, GOOD_SPAN_ID, 0x4a, 3, 0x12, 5, 1)],
    ['bad-tag', spanWith(GOOD_TRACE_ID, GOOD_SPAN_ID, 0x00, 1)],
    ['bad-wire-type', spanWith(GOOD_TRACE_ID, GOOD_SPAN_ID, 0x0f, 1)],
    ['bad-varint', spanWith(GOOD_TRACE_ID, GOOD_SPAN_ID, 0x30, ...Array(10).fill(0xff), 1)],
  ])('rejects only the span with %s', (code, bad) => {
    const walked = walkTracesProtobuf(request(good, bad, good));
    expect(walked).toMatchObject({ ok: true, rejected: { count: 1, problems: [{ code, position: 1 }] } });
    expect(walked.ok && walked.spans.length).toBe(2);
  });

  it('rejects a value that nests too deep, and that one only', () => {
    const deep = (levels: number): AnyValue =>
      levels === 0 ? { boolValue: true } : { arrayValue: { values: [deep(levels - 1)] } };
    const spans = [ANY_VALUE_DEPTH_MAX, ANY_VALUE_DEPTH_MAX + 1].map((levels) => ({
      ...SPAN,
      attributes: [{ key: 'k', value: deep(levels) }],
    }));
    const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
    expect(walked).toMatchObject({ ok: true, rejected: { count: 1, problems: [{ code: 'too-deep', position: 1 }] } });
  });

  it('says where a request that is cut off ends', () => {
    const whole = encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans: [SPAN] }] }] });
    const walked = walkTracesProtobuf(whole.subarray(0, whole.length - 1));
    expect(walked).toMatchObject({
      ok: false,
      problem: { code: 'truncated', message: expect.stringContaining('byte') },
    });
  });
});

describe('walkLogsProtobuf', () => {
  it('slices log records with and without ids', () => {
    fc.assert(
      fc.property(fc.array(arbitraryLogRecord, { maxLength: 4 }), (logRecords) => {
        const walked = walkLogsProtobuf(encodeLogsProtobuf({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }));
        if (!walked.ok) expect.fail(walked.problem.message);
        expect(walked.records.map(({ facts }) => [facts.traceId, facts.spanId])).toEqual(
          logRecords.map(({ traceId = '', spanId = '' }) => [traceId, spanId]),
        );
      }),
      { numRuns: 200 },
    );
  });
});

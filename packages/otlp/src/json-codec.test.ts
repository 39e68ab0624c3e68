import { describe, expect, it } from 'vitest';
import { decodeTracesJson, encodeTracesJson } from './json-codec.ts';
import { walkTracesJson } from './json-request-walker.ts';
import { ANY_VALUE_DEPTH_MAX } from './limits.ts';
import type { Span } from './span.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';

function wrap(...spans: string[]): string {
  return `{"resourceSpans":[{"resource":{"attributes":[]},"scopeSpans":[{"scope":{"name":"s"},"spans":[${spans.join(',')}]}]}]}`;
}

function spanText(members: string): string {
  return `{"traceId":"${TRACE_ID}","spanId":"${SPAN_ID}","name":"n","startTimeUnixNano":"1","endTimeUnixNano":"2"${members}}`;
}

function decodeOne(span: string): Span {
  const decoded = decodeTracesJson(wrap(span));
  if (!decoded.ok) expect.fail(decoded.problem.message);
  const [found] = decoded.data.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
  if (found === undefined) expect.fail(JSON.stringify(decoded.rejected));
  return found;
}

function readValue(value: string): unknown {
  return decodeOne(spanText(`,"attributes":[{"key":"k","value":${value}}]`)).attributes?.[0]?.value;
}

describe('decodeTracesJson', () => {
  it.each([
    ['hex in upper case', TRACE_ID.toUpperCase(), SPAN_ID.toUpperCase()],
    ['base64', Buffer.from(TRACE_ID, 'hex').toString('base64'), Buffer.from(SPAN_ID, 'hex').toString('base64')],
    ['base64 without padding', Buffer.from(TRACE_ID, 'hex').toString('base64url'), 't61rcWkgMzE'],
  ])('reads ids written as %s', (_label, traceId, spanId) => {
    const text = `{"traceId":"${traceId}","spanId":"${spanId}","parentSpanId":"${spanId}"}`;
    expect(decodeOne(text)).toMatchObject({ traceId: TRACE_ID, spanId: SPAN_ID, parentSpanId: SPAN_ID });
  });

  it.each([
    ['{"intValue":"9007199254740993"}', { intValue: '9007199254740993' }],
    ['{"intValue":9007199254740993}', { intValue: '9007199254740993' }],
    ['{"intValue":-9223372036854775808}', { intValue: '-9223372036854775808' }],
    ['{"intValue":1.5e3}', { intValue: '1500' }],
    ['{"doubleValue":12345678901234567890}', { doubleValue: 12345678901234567000 }],
    ['{"doubleValue":"NaN"}', { doubleValue: 'NaN' }],
    ['{"doubleValue":1e999}', { doubleValue: 'Infinity' }],
    ['{"doubleValue":-0.0}', { doubleValue: '-0' }],
    ['{"doubleValue":"-0"}', { doubleValue: '-0' }],
    ['{"bytesValue":"_-8"}', { bytesValue: '/+8=' }],
    ['{"stringValue":"\\ud800"}', { stringValue: '\ud800' }],
    ['{"arrayValue":{}}', { arrayValue: { values: [] } }],
    ['{"stringValue":null,"futureValue":{"a":[1]}}', { futureValue: { a: [1] } }],
  ])('reads the value %s', (text, expected) => {
    expect(readValue(text)).toEqual(expected);
  });

  it('reads enums by name and keeps members it does not know', () => {
    const span = decodeOne(
      spanText(',"kind":"SPAN_KIND_CLIENT","status":{"code":"STATUS_CODE_ERROR"},"__proto__":{"x":1}'),
    );
    expect(span).toMatchObject({ kind: 3, status: { code: 2 } });
    expect(Object.hasOwn(span, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(span)).toBe(Object.prototype);
  });

  it('keeps a nanosecond time written as a bare number', () => {
    const span = decodeOne(`{"traceId":"${TRACE_ID}","spanId":"${SPAN_ID}","startTimeUnixNano":1763700000001000001}`);
    expect(span.startTimeUnixNano).toBe('1763700000001000001');
  });

  it('writes equal spans as equal text whatever the order of their members', () => {
    const one = decodeTracesJson(wrap(spanText(',"b":1,"a":2,"kind":1')));
    const other = decodeTracesJson(wrap(spanText(',"kind":1,"a":2,"b":1')));
    if (!one.ok || !other.ok) expect.fail('both are well-formed');
    expect(encodeTracesJson(one.data)).toBe(encodeTracesJson(other.data));
  });
});

function nested(levels: number): string {
  return `${'{"arrayValue":{"values":['.repeat(levels)}${']}}'.repeat(levels)}`;
}

describe.each([
  ['decodeTracesJson', (text: string) => decodeTracesJson(text)],
  ['walkTracesJson', (text: string) => walkTracesJson(Buffer.from(text))],
])('%s on bad spans', (_label, read) => {
  it.each([
    ['bad-trace-id', `{"traceId":"abc","spanId":"${SPAN_ID}"}`],
    ['bad-trace-id', `{"traceId":"${'0'.repeat(32)}","spanId":"${SPAN_ID}"}`],
    ['bad-trace-id', `{"spanId":"${SPAN_ID}"}`],
    ['bad-span-id', `{"traceId":"${TRACE_ID}","spanId":"00"}`],
    ['bad-span-id', `{"traceId":"${TRACE_ID}","spanId":7}`],
    ['bad-parent-span-id', `{"traceId":"${TRACE_ID}","spanId":"${SPAN_ID}","parentSpanId":"ff"}`],
    ['bad-value', spanText(',"kind":"SPAN_KIND_SIDEWAYS"')],
    ['bad-value', spanText(',"attributes":[{"key":"k","value":{"intValue":"9223372036854775808"}}]')],
    ['bad-shape', spanText(',"attributes":{"k":1}')],
    ['bad-shape', '[]'],
    ['too-deep', spanText(`,"attributes":[{"key":"k","value":${nested(ANY_VALUE_DEPTH_MAX + 1)}}]`)],
  ])('rejects only the span with %s: %s', (code, bad) => {
    const result = read(wrap(spanText(''), bad, spanText('')));
    expect(result).toMatchObject({ ok: true, rejected: { count: 1, problems: [{ code, position: 1 }] } });
  });

  it('rejects only the span that nests as deep as no parser goes', () => {
    const bad = spanText(`,"attributes":[{"key":"k","value":${nested(5_000)}}]`);
    const result = read(wrap(spanText(''), bad, spanText('')));
    expect(result).toMatchObject({ ok: true, rejected: { count: 1, problems: [{ code: 'too-deep', position: 1 }] } });
  });

  it.each(['', 'nonsense', '[]', '{"resourceSpans":{}}', '{"resourceSpans":[]', wrap('{"traceId":tru}'), wrap('1,')])(
    'refuses the whole request %s',
    (text) => {
      expect(read(text)).toMatchObject({ ok: false });
    },
  );

  it.each(['{}', '{"resourceSpans":null}', '{"resourceSpans":[{"scopeSpans":null}]}', ' {"resourceSpans":[ ]} '])(
    'reads %s as no spans',
    (text) => {
      expect(read(text)).toMatchObject({ ok: true, rejected: { count: 0 } });
    },
  );
});

describe('walkTracesJson', () => {
  it('gives back each span as the bytes that were received, invalid UTF-8 included', () => {
    const first = spanText(',  "x" : "\\u0041\\"]}" ');
    const body = Buffer.from(wrap(first, spanText(',"traceState":"X"')));
    body[body.indexOf('X')] = 0xff;
    const walked = walkTracesJson(body);
    if (!walked.ok) expect.fail(walked.problem.message);
    expect(walked.spans[0]?.bytes.toString()).toBe(Buffer.from(first).toString());
    expect(Buffer.from(walked.spans[1]?.bytes ?? []).includes(0xff)).toBe(true);
    expect(Buffer.from(walked.spans[0]?.resource.bytes ?? []).toString()).toBe('{"attributes":[]}');
  });

  it('finds a resource and scope that follow their members', () => {
    const text = `{"resourceSpans":[{"scopeSpans":[{"spans":[${spanText('')}],"schemaUrl":"u","scope":{"name":"s"}}],"resource":{"attributes":[]}}]}`;
    const walked = walkTracesJson(Buffer.from(text));
    expect(walked).toMatchObject({ ok: true, spans: [{ scope: { schemaUrl: 'u' } }] });
    expect(walked.ok && Buffer.from(walked.spans[0]?.scope.bytes ?? []).toString()).toBe('{"name":"s"}');
  });
});

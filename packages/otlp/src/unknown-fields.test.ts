import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { walkLogsProtobuf, walkTracesProtobuf } from './export-request-walker.ts';
import { writeExportRequest } from './export-request-writer.ts';
import { walkLogsJson, walkTracesJson } from './json-request-walker.ts';
import type { GroupSlice, SpanSlice } from './slice.ts';

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

function framed(field: number, ...content: Uint8Array[]): Buffer {
  const whole = Buffer.concat(content);
  return Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(whole.length)]), whole]);
}

/** A field that no message here has: text, a varint, or a known number with the wire type of another. */
const unknownField = fc.oneof(
  fc.string({ maxLength: 6 }).map((text) => framed(31, Buffer.from(text))),
  fc.nat({ max: 9_000 }).map((value) => Buffer.from([...varint(30 * 8), ...varint(value)])),
  fc.constantFrom(1, 2, 3).map((field) => Buffer.from([field * 8, 5])),
);
const unknownList = fc.array(unknownField, { maxLength: 4 });

const goodSpan = Buffer.concat([framed(1, Buffer.alloc(16, 7)), framed(2, Buffer.alloc(8, 8))]);
const badSpan = framed(1, Buffer.alloc(3, 1));

/** Mixes members with unknown fields, keeping the order of both. */
function mixed(members: readonly Buffer[], unknown: readonly Buffer[], choices: readonly boolean[]): Buffer {
  const [left, right] = [[...members], [...unknown]];
  const out: Buffer[] = [];
  for (let at = 0; left.length + right.length > 0; at += 1) {
    const from = right.length > 0 && (left.length === 0 || choices[at % choices.length]) ? right : left;
    out.push(from.shift() ?? Buffer.alloc(0));
  }
  return Buffer.concat(out);
}

const resourceGroup = fc.record({ unknown: unknownList, ofScope: unknownList, isGood: fc.boolean() });
const requests = fc.record({
  groups: fc.array(resourceGroup, { minLength: 1, maxLength: 3 }),
  unknown: unknownList,
  choices: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
});

function unknownOf({ unknown }: GroupSlice): [string, string] {
  const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');
  return [text(unknown?.group), text(unknown?.request)];
}

const hexOf = (fields: readonly Buffer[]) => Buffer.concat(fields).toString('hex');

function slicesOf(body: Uint8Array): readonly SpanSlice[] {
  const walked = walkTracesProtobuf(body);
  if (!walked.ok) expect.fail(walked.problem.message);
  return walked.spans;
}

describe('fields that OTLP does not know around resources and scopes', () => {
  it('come with the slices wherever they stand, those of the request with the first item that is accepted', () => {
    fc.assert(
      fc.property(requests, ({ groups, unknown, choices }) => {
        const members = groups.map(({ unknown: ofGroup, ofScope, isGood }) => {
          const scope = mixed([framed(2, isGood ? goodSpan : badSpan)], ofScope, choices);
          return framed(1, mixed([framed(2, scope)], ofGroup, choices));
        });
        const slices = slicesOf(mixed(members, unknown, choices));
        const accepted = groups.filter(({ isGood }) => isGood);
        const expected = accepted.map((group, index) => [
          [hexOf(group.unknown), index === 0 ? hexOf(unknown) : ''],
          [hexOf(group.ofScope), ''],
        ]);
        expect(slices.map(({ resource, scope }) => [unknownOf(resource), unknownOf(scope)])).toEqual(expected);
        const again = slicesOf(writeExportRequest(slices));
        expect(again.map(({ resource, scope }) => [unknownOf(resource), unknownOf(scope)])).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('come with one item only of several in a resource', () => {
    const ofRequest = framed(31, Buffer.from('request'));
    const slices = slicesOf(
      Buffer.concat([framed(1, framed(2, framed(2, badSpan), framed(2, goodSpan), framed(2, goodSpan))), ofRequest]),
    );
    expect(slices.map(({ resource }) => unknownOf(resource))).toEqual([
      ['', hexOf([ofRequest])],
      ['', ''],
    ]);
    const span = `{"traceId":"${'07'.repeat(16)}","spanId":"${'08'.repeat(8)}"}`;
    const walked = walkTracesJson(
      Buffer.from(`{"x":1,"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"7"},${span},${span}]}]}]}`),
    );
    const spans = walked.ok ? walked.spans : [];
    expect(spans.map(({ resource }) => Buffer.from(resource.unknown?.request ?? []).toString())).toEqual([
      '{"x":1}',
      '',
    ]);
  });

  it('come with log records, too', () => {
    const [ofRequest, ofGroup, ofScope] = ['request', 'group', 'scope'].map((text) => framed(31, Buffer.from(text)));
    const scope = framed(2, framed(2), ofScope as Buffer);
    const walked = walkLogsProtobuf(Buffer.concat([framed(1, scope, ofGroup as Buffer), ofRequest as Buffer]));
    if (!walked.ok) expect.fail(walked.problem.message);
    const [record] = walked.records;
    expect(record && [record.resource, record.scope].map(unknownOf)).toEqual([
      [hexOf([ofGroup as Buffer]), hexOf([ofRequest as Buffer])],
      [hexOf([ofScope as Buffer]), ''],
    ]);
  });
});

describe('members of JSON that OTLP does not know', () => {
  it('are members of one object in JSON, as they were spelt', () => {
    const span = `{"traceId":"${'07'.repeat(16)}","spanId":"${'08'.repeat(8)}","name":"a"}`;
    const bad = '{"traceId":"07","spanId":"08"}';
    const group = (spans: string) =>
      `{"b" : [1, {"c":2.50}],"resource":{},"d":null , "\\u0065":1e2,"scopeSpans":[{"spans":[${spans}],"f":"g","schemaUrl":"u"}]}`;
    const body = `{"x":1,"resourceSpans":[${group(bad)},${group(span)},${group(span)}],"y":"z"}`;
    const walked = walkTracesJson(Buffer.from(body));
    if (!walked.ok) expect.fail(walked.problem.message);
    const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();
    const beside = walked.spans.map(({ resource, scope }) =>
      [resource, scope].map(({ unknown }) => [text(unknown?.group), text(unknown?.request)]),
    );
    const around = '{"b" : [1, {"c":2.50}],"d":null , "\\u0065":1e2}';
    expect(beside).toEqual([
      [
        [around, '{"x":1,"y":"z"}'],
        ['{"f":"g"}', ''],
      ],
      [
        [around, ''],
        ['{"f":"g"}', ''],
      ],
    ]);
    expect(walked.spans.map(({ scope }) => scope.schemaUrl)).toEqual(['u', 'u']);
    expect(walkLogsJson(Buffer.from('{"x":1}'))).toMatchObject({ ok: true, records: [] });
  });
});

describe('unknown fields and messages that come in pieces', () => {
  it('take no longer than they have bytes, however many pieces they are', () => {
    const pieceCount = 300_000;
    const piece = Buffer.concat([framed(1, Buffer.from([0xf8, 1, 1])), framed(31, Buffer.from('abcd'))]);
    const body = framed(1, Buffer.alloc(piece.length * pieceCount, piece), framed(2, framed(2, goodSpan)));
    const [span] = slicesOf(body);
    expect(span?.resource.bytes.length).toBe(3 * pieceCount);
    expect(span?.resource.unknown?.group.length).toBe((piece.length - 5) * pieceCount);
    const value = Buffer.alloc(5 * pieceCount, framed(2, Buffer.from([0xf8, 1, 1])));
    const text = framed(2, framed(1, Buffer.from('in one')));
    const attribute = framed(9, framed(1, Buffer.from('key')), value, text);
    const [other] = slicesOf(framed(1, framed(2, framed(2, goodSpan, attribute))));
    expect(other?.attribute('key')).toBe('in one');
  });
});

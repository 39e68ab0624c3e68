import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { walkLogsProtobuf, walkTracesProtobuf } from './export-request-walker.ts';
import { encodeTracesJson } from './json-codec.ts';
import { walkLogsJson, walkTracesJson } from './json-request-walker.ts';
import { decodeSpan, encodeTracesProtobuf } from './protobuf-codec.ts';
import type { SlicedTraces } from './slice.ts';
import type { TracesData } from './span.ts';
import { arbitraryTraces } from './testdata/arbitrary-traces.ts';
import { describeFacts } from './testdata/describe-facts.ts';

const PADDING = 64;
const CASES = 3000;

type Edit = { readonly at: number; readonly byte: number; readonly cut: number };

const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({
    at: fc.nat(),
    byte: fc.nat({ max: 255 }),
    cut: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat()),
  }),
  { minLength: 1, maxLength: 4 },
);

/** The bytes with some overwritten and the tail perhaps cut off, inside a larger buffer so that an over-read would show. */
function damage(bytes: Uint8Array, changes: readonly Edit[]): Uint8Array {
  const copy = Buffer.from(bytes);
  let length = copy.length;
  for (const { at, byte, cut } of changes) {
    if (copy.length > 0) copy[at % copy.length] = byte;
    if (cut > 0 && length > 0) length = cut % length;
  }
  const padded = Buffer.alloc(length + 2 * PADDING, 0xff);
  copy.copy(padded, PADDING, 0, length);
  return padded.subarray(PADDING, PADDING + length);
}

function checkWalk(bytes: Uint8Array, walked: SlicedTraces): void {
  if (!walked.ok) {
    expect(walked.problem.offset).toBeGreaterThanOrEqual(0);
    expect(walked.problem.offset).toBeLessThanOrEqual(bytes.length);
    expect(walked.problem.message).not.toBe('');
    return;
  }
  for (const span of walked.spans) {
    expect(span.bytes.byteOffset).toBeGreaterThanOrEqual(bytes.byteOffset);
    expect(span.bytes.byteOffset + span.bytes.length).toBeLessThanOrEqual(bytes.byteOffset + bytes.length);
    expect(span.facts.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span.facts.spanId).toMatch(/^[0-9a-f]{16}$/);
    span.attributesPresent(['a']);
    span.attribute('');
  }
}

function runMutations(encode: (data: TracesData) => Uint8Array, check: (bytes: Uint8Array) => void): void {
  fc.assert(
    fc.property(arbitraryTraces, edits, (data, changes) => check(damage(encode(data), changes))),
    { numRuns: CASES, endOnFailure: true },
  );
}

describe('walkers on damaged requests', () => {
  it('never throw, read outside the bytes or disagree with protobufjs, protobuf', () => {
    runMutations(encodeTracesProtobuf, (bytes) => {
      const walked = walkTracesProtobuf(bytes);
      checkWalk(bytes, walked);
      walkLogsProtobuf(bytes);
      for (const span of walked.ok ? walked.spans : []) {
        const decoded = decodeSpan(span.bytes);
        if (!decoded.ok) expect.fail(decoded.problem.message);
        expect(describeFacts(span)).toEqual(describeFacts({ span: decoded.value }));
      }
    });
  });

  it('never throw or read outside the bytes, JSON', () => {
    const encode = (data: TracesData) => Buffer.from(encodeTracesJson(data));
    runMutations(encode, (bytes) => {
      checkWalk(bytes, walkTracesJson(bytes));
      walkLogsJson(bytes);
    });
  });

  it('never throw on bytes that were never a request', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200, size: 'max' }), (bytes) => {
        checkWalk(bytes, walkTracesProtobuf(bytes));
        checkWalk(bytes, walkTracesJson(bytes));
      }),
      { numRuns: CASES, endOnFailure: true },
    );
  });

  it('every proper prefix of a JSON request is a problem', () => {
    fc.assert(
      fc.property(arbitraryTraces, fc.nat(), (data, at) => {
        const text = Buffer.from(encodeTracesJson(data));
        expect(walkTracesJson(text.subarray(0, at % text.length)).ok).toBe(false);
      }),
      { numRuns: 500, endOnFailure: true },
    );
  });
});

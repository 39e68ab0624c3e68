import { describe, expect, it } from 'vitest';
import {
  decodeExportResponse,
  decodeRpcStatus,
  encodeExportResponse,
  encodeExportResponseJson,
  encodeRpcStatus,
  encodeRpcStatusJson,
} from './export-response.ts';
import { decodeSpan, encodeSpan } from './protobuf-codec.ts';
import { dropAttributes } from './span-attributes.ts';

describe('export responses', () => {
  it('give back what was rejected', () => {
    const outcome = { rejected: 3, message: 'span 1: trace id is all zeros' };
    expect(decodeExportResponse(encodeExportResponse(outcome))).toEqual(outcome);
    expect(JSON.parse(encodeExportResponseJson('traces', outcome))).toEqual({
      partialSuccess: { rejectedSpans: '3', errorMessage: outcome.message },
    });
  });

  it('are empty when everything was accepted', () => {
    expect(encodeExportResponse({ rejected: 0, message: '' }).length).toBe(0);
    expect(encodeExportResponseJson('traces', { rejected: 0, message: '' })).toBe('{}');
    expect(decodeExportResponse(new Uint8Array(0))).toEqual({ rejected: 0, message: '' });
  });
});

describe('the error status', () => {
  it.each([
    { code: 3, message: 'bad' },
    { code: 14, message: 'busy', retryDelayMs: 1500 },
  ])('gives back %o', (status) => {
    expect(decodeRpcStatus(encodeRpcStatus(status))).toEqual({ ok: true, status });
    expect(JSON.parse(encodeRpcStatusJson(status))).toMatchObject({ code: status.code, message: status.message });
  });
});

describe('dropAttributes', () => {
  it('takes out the named attributes and leaves every other byte', () => {
    const span = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', name: 'n' };
    const times = { startTimeUnixNano: '1', endTimeUnixNano: '2' };
    const attribute = (key: string) => ({ key, value: { stringValue: key.repeat(50) } });
    const full = encodeSpan({ ...span, ...times, attributes: ['a', 'drop', 'b', 'drop'].map(attribute) });
    const slim = encodeSpan({ ...span, ...times, attributes: ['a', 'b'].map(attribute) });
    expect(Buffer.from(dropAttributes(full, ['drop', 'none'])).equals(slim)).toBe(true);
    expect(decodeSpan(dropAttributes(slim, ['drop']))).toEqual(decodeSpan(slim));
  });
});

import { ATTR_REENACT_ERROR } from '@reenact/semconv/reenact';
import { encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { readSpanDetails, type SpanDetails } from './span-details.ts';

/** What is shown of a crossing that threw this, recorded as values are. */
function shownError(thrown: unknown): SpanDetails['error'] {
  const value = { stringValue: encodeValue(thrown).payload.data };
  const spans = [{ attributes: [{ key: ATTR_REENACT_ERROR, value }] }];
  return readSpanDetails(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })).error;
}

describe('readSpanDetails', () => {
  it('shows an error by its name, message and stack', () => {
    const error = new TypeError('no such symbol', { cause: new RangeError('X') });
    const shown = shownError(error);
    expect(shown).toMatchObject({ name: 'TypeError', message: 'no such symbol', stack: error.stack });
    expect(shown?.whole).toContain('RangeError');
  });

  it('shows what was thrown and is no error as it is', () => {
    expect(shownError('out of tea')?.message).toBe('"out of tea"');
    expect(shownError({ code: 418 })?.message).toBe('{"code":418}');
  });
});

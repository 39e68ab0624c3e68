import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCredentialHeader, recordedHeaders } from './header-redaction.ts';

describe('recordedHeaders', () => {
  it.each(['authorization', 'Authorization', 'API-KEY', 'x-api-key', 'Cookie', 'set-cookie', 'Proxy-Authorization'])(
    'replaces the value of %s',
    (name) => {
      expect(recordedHeaders([[name, 'secret']])).toEqual([[name, '[redacted]']]);
    },
  );

  it('keeps what says who pays, order, case and repeated names', () => {
    const headers = [
      ['OpenAI-Organization', 'org-1'],
      ['openai-project', 'proj-1'],
      ['x-a', '1'],
      ['x-a', '2'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ] as const;
    expect(recordedHeaders(headers)).toEqual([
      ...headers.slice(0, 4),
      ['set-cookie', '[redacted]'],
      ['set-cookie', '[redacted]'],
    ]);
  });

  it('never changes a header that is no credential, and never adds or drops one', () => {
    const pair = fc.tuple(fc.string(), fc.string());
    fc.assert(
      fc.property(fc.array(pair), (headers) => {
        const recorded = recordedHeaders(headers);
        expect(recorded.map(([name]) => name)).toEqual(headers.map(([name]) => name));
        for (const [index, [name, value]] of headers.entries()) {
          if (!isCredentialHeader(name)) expect(recorded[index]?.[1]).toBe(value);
        }
      }),
    );
  });
});

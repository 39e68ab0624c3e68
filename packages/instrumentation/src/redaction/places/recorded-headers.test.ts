import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { configureRedaction, redactionCounts } from '../redactor/process-redaction.ts';
import { holdsPlaceholder, isPlaceholder } from '../text/placeholder.ts';
import { isCredentialHeader, recordedHeaders } from './recorded-headers.ts';

describe('recordedHeaders', () => {
  it.each(['authorization', 'Authorization', 'API-KEY', 'x-api-key', 'Cookie', 'set-cookie', 'Proxy-Authorization'])(
    'replaces the value of %s',
    (name) => {
      const [[keptName, kept]] = recordedHeaders([[name, 'secret-value']]) as [[string, string]];
      expect([keptName, isPlaceholder(kept)]).toEqual([name, true]);
      expect(recordedHeaders([[name, kept]])).toEqual([[name, kept]]);
      expect(recordedHeaders([[name, 'another-value']])).not.toEqual([[name, kept]]);
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
    const recorded = recordedHeaders(headers);
    expect(recorded.slice(0, 4)).toEqual(headers.slice(0, 4));
    expect(recorded.slice(4).map(([name, value]) => [name, isPlaceholder(value)])).toEqual([
      ['set-cookie', true],
      ['set-cookie', true],
    ]);
    expect(recorded[4]?.[1]).not.toBe(recorded[5]?.[1]);
  });

  it('keeps the name of a cookie that the network in between sets, and nothing else of it', () => {
    const names = ['__cf_bm', 'AWSALBCORS', 'BIGipServer~pool', 'TS01a2b3c4', 'visid_incap_12', 'datadome'];
    for (const name of names) {
      const [[, kept]] = recordedHeaders([['Set-Cookie', `${name}=SECRET-1.2; path=/; HttpOnly`]]) as [
        [string, string],
      ];
      expect([kept.startsWith(`${name}=`), isPlaceholder(kept.slice(name.length + 1))]).toEqual([true, true]);
      expect(recordedHeaders([['Set-Cookie', kept]])).toEqual([['Set-Cookie', kept]]);
    }
    for (const name of ['session', 'x__cf_bm', 'GCLBX', 'TSession']) {
      const [[, kept]] = recordedHeaders([['Set-Cookie', `${name}=SECRET-1.2; path=/`]]) as [[string, string]];
      expect(isPlaceholder(kept)).toBe(true);
    }
  });

  it('counts a credential each time that it comes, though it is looked through once', () => {
    const countedFor = (value: string): number => {
      const before = redactionCounts().get('named-value') ?? 0;
      recordedHeaders([['x-api-key', value]]);
      return (redactionCounts().get('named-value') ?? 0) - before;
    };
    const [first = 0, ...later] = ['one-of-them', 'one-of-them', 'one-of-them', 'another'].map(countedFor);
    expect(first).toBeGreaterThan(0);
    expect(later).toEqual([first, first, first]);
  });

  it('never changes a header that holds no secret, and never adds or drops one', () => {
    const pair = fc.tuple(fc.string({ maxLength: 6 }), fc.string({ maxLength: 6 }));
    fc.assert(
      fc.property(fc.array(pair), (headers) => {
        const recorded = recordedHeaders(headers);
        expect(recorded.map(([name]) => name)).toEqual(headers.map(([name]) => name));
        for (const [index, [name, value]] of headers.entries()) {
          if (!isCredentialHeader(name) && !holdsPlaceholder(recorded[index]?.[1] ?? ''))
            expect(recorded[index]?.[1]).toBe(value);
        }
      }),
    );
  });
});

describe('where the default rules are off', () => {
  afterEach(() => configureRedaction({}));

  it.each([{ defaults: false }, { without: ['named-value'] }])(
    'credentials are replaced all the same: %j',
    (options) => {
      configureRedaction(options);
      const names = ['authorization', 'proxy-authorization', 'api-key', 'x-api-key', 'x-goog-api-key'];
      for (const name of [...names, 'x-amz-security-token', 'cookie', 'set-cookie', 'X-Api-Key'])
        expect(recordedHeaders([[name, 'hush-hush']])[0]?.[1]).toSatisfy(isPlaceholder);
      const kept = [['x-note', 'hush-hush']] as const;
      expect(recordedHeaders(kept)).toEqual(kept);
    },
  );
});

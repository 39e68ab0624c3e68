import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparableText } from '../redactor/comparable-text.ts';
import { redactedUrl } from './recorded-headers.ts';

/** Tokens stand for their secrets; which one is not what is tested here. */
function withoutTokens(text: string): string {
  return comparableText(text, 'dropped');
}

describe('redactedUrl', () => {
  it.each([
    ['https://host/v1?api-version=2024&api-key=hush', 'https://host/v1?api-version=2024&api-key=[redacted]'],
    ['https://host/v1?KEY=hush&a=b#part', 'https://host/v1?KEY=[redacted]&a=b#part'],
    ['https://host/v1?api%5Fkey=hush', 'https://host/v1?api%5Fkey=[redacted]'],
    ['https://ada:hush@host:8080/v1', 'https://ada:[redacted]@host:8080/v1'],
    ['https://host/@scope?q=a@b', 'https://host/@scope?q=a@b'],
    ['https://host/v1?%zz=1&sig=', 'https://host/v1?%zz=1&sig='],
    ['', ''],
  ])('%s is kept as %s', (url, kept) => {
    expect(withoutTokens(redactedUrl(url))).toBe(kept);
  });

  it('leaves addresses without credentials alone, and is the same when done twice', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        const once = redactedUrl(url);
        expect(redactedUrl(once)).toBe(once);
        expect(new URL(once).host).toBe(new URL(url).host);
      }),
    );
    expect(redactedUrl('https://host/a?b=c&d=e')).toBe('https://host/a?b=c&d=e');
  });
});

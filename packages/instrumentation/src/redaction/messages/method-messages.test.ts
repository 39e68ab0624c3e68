import { describe, expect, it } from 'vitest';
import { ADDRESS_CHARACTERS_SEARCHED_MAX } from '../../limits.ts';
import { mayHoldNamedMessage } from './method-messages.ts';

function isSearched(url: string): boolean {
  return mayHoldNamedMessage(JSON.stringify({ method: 'GET', url, contentType: '' }));
}

const method = 'https://host/test.Doors/Open';

describe('the first look at a recorded value for a message in its address', () => {
  it('finds one wherever it is in the address', () => {
    const long = 'A'.repeat(2 * ADDRESS_CHARACTERS_SEARCHED_MAX);
    expect(isSearched(`${method}?connect=v1&encoding=proto&message=${long}`)).toBe(true);
    expect(isSearched(`${method}?message=${long}&encoding=proto`)).toBe(true);
    expect(isSearched(`${method}?encoding=proto&pad=${long}&message=AAAA`)).toBe(true);
    expect(isSearched(`${method}?quote="&encoding=proto&message=AAAA`)).toBe(true);
  });

  it('finds none where there is none, or where it stands behind the address', () => {
    expect(isSearched(method)).toBe(false);
    expect(mayHoldNamedMessage(JSON.stringify({ url: method, text: 'message=&encoding=' }))).toBe(false);
  });

  it('comes to an end at an image of many megabytes, which is no address of a method', () => {
    expect(isSearched(`data:image/png;base64,${'A'.repeat(12_000_000)}`)).toBe(false);
    expect(isSearched(`data:text/plain,${'"'.repeat(6_000_000)}`)).toBe(false);
  });
});

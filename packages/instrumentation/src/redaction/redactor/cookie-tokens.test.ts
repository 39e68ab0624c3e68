import { describe, expect, it } from 'vitest';
import { redactAttributes } from '../places/redact-crossing.ts';
import { macsIn } from '../text/placeholder.ts';
import { broughtCookies, givenCookies } from './cookie-tokens.ts';

const token = /^\[redacted:named-value:[0-9a-f]{16}\]$/;

describe('the cookies of a request and of an answer', () => {
  it('are kept by their names, and the same value has the same token in both', () => {
    const given = givenCookies([
      'connect.sid=s%3Aabc.d=e; Path=/; HttpOnly',
      'theme=dark; Expires=Thu, 01 Jan 2026',
      'gone=; Max-Age=0',
    ]);
    const brought = broughtCookies(['theme=dark; connect.sid=s%3Aabc.d=e;  empty=', 'other=1']);
    expect(given?.map((cookie) => cookie.slice(0, cookie.indexOf('=')))).toEqual(['connect.sid', 'theme', 'gone']);
    expect(given?.[0]?.slice('connect.sid='.length)).toMatch(token);
    expect(given?.[2]).toBe('gone=');
    expect(brought?.slice(0, 3)).toEqual([given?.[1], given?.[0], 'empty=']);
    expect(JSON.stringify([given, brought])).not.toMatch(/abc|dark/);
  });

  it('are searched again as attributes, and stay as they are', () => {
    const brought =
      broughtCookies(['connect.sid=s%3Aabc; token=a1b2c3d4e5f6a7b8c9; password=hunter2; plain; __Host-session=x']) ??
      [];
    expect(redactAttributes({ 'reenact.cookies.brought': brought })).toEqual({ 'reenact.cookies.brought': brought });
    expect(brought.flatMap(macsIn).length).toBe(5);
  });

  it('are not kept where there are none, or too many', () => {
    expect([broughtCookies([]), broughtCookies(['; ']), givenCookies([])]).toEqual([undefined, undefined, undefined]);
    expect(broughtCookies([Array.from({ length: 201 }, (_, index) => `c${index}=1`).join('; ')])).toBeUndefined();
  });
});

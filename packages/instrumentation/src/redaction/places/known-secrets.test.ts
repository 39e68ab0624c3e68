import { describe, expect, it } from 'vitest';
import { redactedText } from '../redactor/redacted-text.ts';
import { Redactor } from '../redactor/redactor.ts';
import { redactedBytes } from './redact-bytes.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const texts = [
  'correct horse 9',
  'correct horse ~ 9!',
  'pl um, or: $9 (x)',
  'Plum Orchard & 9',
  'pl/um+Orchard=9',
  'zwölf Pflaumen 9 😀',
  'pl%41um+Orchard 9',
];
const known = texts.map((text) => ({ text, rule: 'environment-secret' }));
const redactor = new Redactor({ options: {}, key: () => key, known });

describe('a text that is a secret by itself', () => {
  it.each(texts)('is found as addresses and forms have it, and has the same token: %s', (secret) => {
    const token = redactedText(redactor, secret);
    expect(token).toMatch(/^\[redacted:environment-secret:[0-9a-f]{16}\]$/);
    const inAddress = (text: string): string => `https://shop.example/search?q=${text}&page=2`;
    for (const written of [
      encodeURIComponent(secret),
      encodeURIComponent(secret).replaceAll(/(?:%[89A-F].)+/g, decodeURIComponent),
      encodeURIComponent(secret).replaceAll(/%../g, (byte) => byte.toLowerCase()),
      // An address in an address, as that of a page to come back to.
      encodeURIComponent(encodeURIComponent(secret)),
      encodeURIComponent(encodeURIComponent(encodeURIComponent(secret))),
      new URLSearchParams({ '': secret }).toString().slice(1),
      // As `axios` does, and others that leave as little escaped as they may.
      encodeURIComponent(secret)
        .replaceAll(/%(?:3A|24|2C)/g, decodeURIComponent)
        .replaceAll('%20', '+'),
      new URLSearchParams({ '': secret })
        .toString()
        .slice(1)
        .replaceAll(/%(?!2B|2F|26|3D|25)[0-7]./g, decodeURIComponent),
    ]) {
      expect(redactedText(redactor, inAddress(written))).toBe(inAddress(token));
    }
  });

  it.each(texts)('is found in the body of a form: %s', (secret) => {
    const body = Buffer.from(new URLSearchParams({ user: 'ada', note: `it is ${secret}, is it` }).toString());
    const coded = { contentType: 'application/x-www-form-urlencoded', coding: '' };
    const form = new URLSearchParams(String(redactedBytes(redactor, body, coded).changed));
    expect(form.get('note')).toBe(`it is ${redactedText(redactor, secret)}, is it`);
    expect(form.get('user')).toBe('ada');
  });
});

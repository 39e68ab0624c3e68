import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attemptHeaders } from './attempt-headers.ts';
import { isVolatileHeader } from './volatile-headers.ts';

const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);

describe('the headers of an attempt', () => {
  it('are what is asked for, and not who asks from where', () => {
    const pairs: [string, string][] = [
      ['Accept', 'application/json'],
      ['Content-Type', 'application/json'],
      ['User-Agent', 'OpenAI/JS 7.57.0'],
      ['X-Stainless-Retry-Count', '1'],
      ['Authorization', 'Bearer sk-1'],
      ['X-Api-Key', 'sk-2'],
      ['Idempotency-Key', 'one'],
      ['anthropic-dangerous-direct-browser-access', 'true'],
      ['ai-o11y-request-id', 'iad1::1'],
      ['anthropic-version', '2026-10-21'],
      ['anthropic-beta', 'files-1'],
      ['Anthropic-Beta', 'context-2'],
      ['OpenAI-Organization', 'org-1'],
    ];
    expect(attemptHeaders(pairs)).toEqual({
      accept: 'application/json',
      'content-type': 'application/json',
      'anthropic-version': '2026-10-21',
      'anthropic-beta': 'files-1, context-2',
      'openai-organization': 'org-1',
    });
  });

  it('hold the content type without the mark between the parts of a form', () => {
    const typed = (value: string): unknown => attemptHeaders([['content-type', value]])['content-type'];
    expect(typed('multipart/form-data; boundary=----x1; charset=utf-8')).toBe('multipart/form-data; charset=utf-8');
    expect(typed('multipart/form-data; Boundary="a;b"')).toBe('multipart/form-data');
    expect(typed('text/plain; charset=latin1')).toBe('text/plain; charset=latin1');
  });

  it('keep any header that is not declared, whatever its case', () => {
    fc.assert(
      fc.property(token, fc.string(), (name, value) => {
        fc.pre(!isVolatileHeader(name) && !name.startsWith('ai-') && name !== 'content-type');
        expect(attemptHeaders([[name.toUpperCase(), value]])).toEqual({ [name]: value });
      }),
    );
  });
});

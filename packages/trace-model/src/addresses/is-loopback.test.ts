import { describe, expect, it } from 'vitest';
import { isLoopback } from './is-loopback.ts';

describe('isLoopback', () => {
  it.each(['localhost', 'LocalHost', '127.0.0.1', '127.12.0.255', '::1'])('takes %s', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each([
    '',
    '0.0.0.0',
    '::',
    '[::1]',
    '10.0.0.1',
    '127.0.0.256',
    '127.1',
    '127.0.0.1.example.com',
    'localhost.example',
  ])('takes no %j', (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});

import { expect, it } from 'vitest';
import { addressWithoutSecrets } from './address-without-secrets.ts';

it('keeps of an address where it leads, and nothing that may be secret', () => {
  const secrets = 'http://user:p@ss@127.0.0.1:9/otlp/v1/traces?key=abc#token';
  expect(addressWithoutSecrets(secrets)).toBe('http://127.0.0.1:9/otlp/v1/traces');
  expect(addressWithoutSecrets('127.0.0.1:9 secret')).toBe('');
});

import { describe, expect, it } from 'vitest';
import { ApiConnection } from './api-connection.ts';

describe('the address of a collector', () => {
  it.each(['127.0.0.1:4318', 'http://127.0.0.1:99999', 'http://127.0.0.1:0'])('is not %s', (url) => {
    expect(() => new ApiConnection({ url })).toThrow(`"${url}" is not the address of a collector.`);
  });

  it('may be without a port', () => {
    expect(() => new ApiConnection({ url: 'https://collector.example' })).not.toThrow();
  });
});

import { describe, expect, it } from 'vitest';
import { serverPlace } from './transport-facts.ts';

describe('serverPlace', () => {
  it.each([
    ['http://[::1]/mcp', { host: '::1', port: 80 }],
    ['https://tools.example/mcp', { host: 'tools.example', port: 443 }],
    ['http://127.0.0.1:8931/mcp', { host: '127.0.0.1', port: 8931 }],
  ])('of a transport to %s names no brackets', (url, place) => {
    expect(serverPlace({ type: 'streamable-http', url })).toEqual(place);
  });

  it('is none of a server that is a process', () => {
    expect(serverPlace({ type: 'stdio', command: 'node' })).toBeUndefined();
  });
});

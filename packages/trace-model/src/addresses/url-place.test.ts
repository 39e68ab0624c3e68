import { describe, expect, it } from 'vitest';
import { urlPlace } from './url-place.ts';

describe('urlPlace', () => {
  it.each([
    ['http://api.example/v1', 'api.example', 80],
    ['https://api.example/v1', 'api.example', 443],
    ['ws://api.example/', 'api.example', 80],
    ['wss://api.example/', 'api.example', 443],
    ['https://api.example:8443/', 'api.example', 8443],
    ['http://[::1]:4318/', '::1', 4318],
    ['http://[fe80::1]/', 'fe80::1', 80],
    ['grpc://127.0.0.1:50051', '127.0.0.1', 50051],
    ['data:,text', '', undefined],
  ])('of %s', (url, host, port) => {
    expect(urlPlace(new URL(url))).toEqual({ host, port });
  });
});

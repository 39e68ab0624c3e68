import { describe, expect, it } from 'vitest';
import { nativeEffect } from './native-effect.ts';

describe('an address that a native add-on is given', () => {
  it.each([
    ['libsql://db.example:8080/?authToken=hunter2', 'db.example', 8080],
    ['postgres://ada:hunter2@db.example/orders', 'db.example', undefined],
    ["postgres:host=db.example port=5433 password='hunter2'", 'db.example', 5433],
    ['postgres:dbname=orders password=hunter2', 'postgres:', undefined],
    ['md:orders?motherduck_token=hunter2', 'md:orders', undefined],
  ])('is told by its host, and by nothing that is secret: %s', (address, host, port) => {
    expect(nativeEffect('duckdb.open', { type: 'address', address })).toEqual({
      type: 'host',
      name: 'duckdb.open',
      host,
      port,
    });
  });
});

import { createRequire } from 'node:module';
import { encodeValue } from '@reenact/trace-model';
import { createClient, SimpleError } from 'redis';
import { expect, it } from 'vitest';
import { redisClient } from '../../index.ts';

it('finds the classes of redis also where its main module does not export that of clients, as before version 6', () => {
  const main = createRequire(import.meta.url)('@redis/client') as object;
  expect(Reflect.deleteProperty(main, 'RedisClient')).toBe(true);
  const failed = new SimpleError('WRONGTYPE');
  redisClient(createClient());
  expect(encodeValue(failed).lossy).toEqual([]);
});

import { expect, it } from 'vitest';
import { plainAddress } from './plain-address.ts';

it.each([
  ['localhost', 'loopback'],
  ['app.LOCALHOST', 'loopback'],
  ['127.0.0.1', 'loopback'],
  ['127.8.0.1', 'loopback'],
  ['0.0.0.0', 'loopback'],
  ['::', 'loopback'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::FFFF:7f00:1', 'loopback'],
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:DB8::0:7', '2001:db8::7'],
  ['fe80::1%eth0', 'fe80::1'],
  ['db.example', undefined],
  ['127.1', undefined],
])('the plain form of %s is %s', (host, plain) => {
  expect(plainAddress(host)).toBe(plain);
});

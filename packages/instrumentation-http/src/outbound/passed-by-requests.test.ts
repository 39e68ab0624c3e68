import { ClientRequest, type RequestOptions } from 'node:http';
import { expect, it } from 'vitest';
import { targetOf } from './passed-by-requests.ts';

function targetOfRequest(options: RequestOptions): unknown {
  // Refused by the time anything could be sent: nothing is to leave.
  const request = new ClientRequest({ lookup: () => undefined, createConnection: () => undefined, ...options });
  return targetOf(request.on('error', () => undefined));
}

it.each([
  [
    { host: '::1', port: 8_080 },
    { host: '[::1]', port: 8_080 },
  ],
  [
    { host: '::1', setHost: false },
    { host: '[::1]', port: 80 },
  ],
  [
    { host: 'peer.example', setHost: false },
    { host: 'peer.example', port: 80 },
  ],
  [
    { host: 'no address', setHost: false },
    { host: 'no address', port: 80 },
  ],
])('a request is told with where it goes, whatever its host is: %j', (options, target) => {
  expect(targetOfRequest(options)).toEqual(target);
});

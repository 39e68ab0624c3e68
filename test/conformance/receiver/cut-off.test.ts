import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { eventually, Testbed } from '../testbed.ts';

const HEAD = 'POST /v1/traces HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';

const testbed = new Testbed();
afterAll(() => testbed.dispose());

it.each([
  ['the head', HEAD],
  ['the body', `${HEAD}content-length: 100\r\n\r\n{"resourceSpans":`],
  ['a body in chunks', `${HEAD}transfer-encoding: chunked\r\n\r\n5\r\n{"res\r\n`],
])('a sender that closes its connection within %s of a request is told of once, as one that left', async (_, sent) => {
  const told: { readonly event: string }[] = [];
  const collector = await testbed.start({}, { log: (line) => told.push(JSON.parse(line)) });
  const socket = connect(Number(new URL(collector.httpUrl).port), '127.0.0.1');
  socket.resume().end(sent);
  await once(socket, 'close');
  await eventually('the line', async () => told.some(({ event }) => event === 'requests refused'));
  // Behind a stop all is told that was counted.
  await collector.stop();
  expect(told.filter(({ event }) => event === 'requests refused')).toMatchObject([
    {
      code: 'bad-request',
      count: 1,
      message: 'The connection was closed within a request.',
      next: expect.stringContaining('OTEL_EXPORTER_OTLP_TIMEOUT'),
    },
  ]);
});

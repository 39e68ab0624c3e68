import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { encodeTracesProtobuf } from '@reenact/otlp';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, Testbed, wrapSpans } from '../testbed.ts';

const testbed = new Testbed();
afterEach(() => testbed.dispose());

const BODY = Buffer.from(encodeTracesProtobuf(wrapSpans([makeSpan()])));

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly bytes?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a sender hears that waits to be told before it sends its body, and whether it was told. */
async function ask(url: string, { path = '/v1/traces', method = 'POST', bytes, headers }: Asked = {}) {
  const sent = request(`${url}${path}`, {
    method,
    headers: {
      'content-type': 'application/x-protobuf',
      'content-length': bytes ?? BODY.length,
      expect: '100-continue',
      ...headers,
    },
  });
  let continues = 0;
  sent.on('continue', () => {
    continues += 1;
    sent.end(BODY);
  });
  sent.flushHeaders();
  const response = await new Promise<IncomingMessage>((resolve) => sent.once('response', resolve));
  response.resume();
  const { statusCode: status, headers: answered } = response;
  // A sender that was refused keeps its body, so what it sends next would be taken for that.
  sent.destroy();
  return { status, continues, connection: answered.connection };
}

describe('a sender that waits to be told before it sends its body', () => {
  it('is told once, and answered like others', async () => {
    const { httpUrl, stats } = await testbed.start();
    expect(await ask(httpUrl)).toMatchObject({ status: 200, continues: 1 });
    expect(await stats()).toMatchObject({ store: { spans: 1 } });
  });

  it.each([
    ['a body that is too large', 413, { bytes: 2000 }],
    ['a content type that is not known', 415, { headers: { 'content-type': 'text/plain' } }],
    ['an encoding that is not known', 415, { headers: { 'content-encoding': 'br' } }],
    ['a path where nothing is received', 404, { path: '/v1/profiles' }],
    ['a method that is not allowed', 405, { method: 'PUT' }],
  ] as const)('hears at once of %s, with an end of the connection', async (_, status, asked) => {
    const { httpUrl } = await testbed.start({ requestBytesMax: 1024 });
    expect(await ask(httpUrl, asked)).toEqual({ status, continues: 0, connection: 'close' });
  });

  it('hears at once that its token is missing', async () => {
    const sha256 = 'a'.repeat(64);
    const { httpUrl } = await testbed.start({ tokens: [{ name: 'agent', sha256, scopes: ['ingest'] }] });
    expect(await ask(httpUrl)).toEqual({ status: 401, continues: 0, connection: 'close' });
  });

  it('hears at once that there is no room beside what others send', async () => {
    const { httpUrl } = await testbed.start({ bytesInFlightMax: 2048 });
    const held = async () => /in_flight_bytes (\d+)/.exec(await (await fetch(`${httpUrl}/metrics`)).text())?.[1];
    const headers = { 'content-type': 'application/x-protobuf', 'content-length': 2000 };
    const other = request(`${httpUrl}/v1/traces`, { method: 'POST', headers });
    // It is cut off in the midst of its body.
    other.on('error', () => undefined);
    other.write(Buffer.alloc(1500));
    await expect.poll(held, { timeout: 30_000 }).toBe('1500');
    expect(await ask(httpUrl, { bytes: 1000 })).toEqual({ status: 503, continues: 0, connection: 'close' });
    other.destroy();
    await expect.poll(held, { timeout: 30_000 }).toBe('0');
    expect(await ask(httpUrl)).toMatchObject({ status: 200, continues: 1 });
  });

  it('is told where a question is asked with a body, which nobody reads', async () => {
    const { httpUrl } = await testbed.start();
    expect(await ask(httpUrl, { path: '/api/v1/stats', method: 'GET' })).toMatchObject({ status: 200, continues: 1 });
  });

  it('is not told where it speaks HTTP/1.0, which has no such answer', async () => {
    const { httpUrl } = await testbed.start();
    const socket = connect(Number(new URL(httpUrl).port), '127.0.0.1');
    const head = ['POST /v1/traces HTTP/1.0', 'Content-Type: application/x-protobuf', 'Expect: 100-continue'];
    socket.write([...head, `Content-Length: ${BODY.length}`, '', ''].join('\r\n'));
    socket.write(BODY);
    const answer: Buffer[] = [];
    socket.on('data', (chunk) => answer.push(chunk));
    await once(socket, 'close');
    expect(Buffer.concat(answer).toString()).toMatch(/^HTTP\/1\.1 200 /);
  });
});

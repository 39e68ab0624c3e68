import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import type { ReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RETRY_AFTER_MS } from '../limits.ts';
import { type HttpServer, startHttpServer } from './http-server.ts';
import { describeHandshake } from './unreadable-request.ts';

const told: { error: ReenactError; peer: string | undefined }[] = [];
const served: string[] = [];
let server: HttpServer;

beforeEach(async () => {
  server = await startHttpServer(
    {
      host: '127.0.0.1',
      port: 0,
      tls: undefined,
      stopGraceMs: 100,
      onUnreadable: (error, peer) => told.push({ error, peer }),
    },
    (request, response) => {
      served.push(request.url ?? '');
      if (request.url === '/long') response.write('first');
      else if (request.url === '/after-end') request.socket.once('end', () => response.end('answer'));
      else if (request.url !== '/unanswered') response.end('answer');
    },
  );
});
afterEach(async () => {
  told.length = 0;
  served.length = 0;
  await server.stop();
});

/** Sends bytes and gives what comes back until the connection ends. */
function exchange(bytes: string | Buffer, after = '', isHalfClosed = false): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: isHalfClosed });
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (after !== '' && answer.endsWith('first\r\n')) socket.write(after);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
    socket.on('end', () => socket.end());
    if (isHalfClosed) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** The socket that the server has of the next connection. */
function nextAccepted(): Promise<Socket> {
  return new Promise((resolve) => {
    const onAccepted = (message: unknown): void => {
      unsubscribe('net.server.socket', onAccepted);
      resolve((message as { readonly socket: Socket }).socket);
    };
    subscribe('net.server.socket', onAccepted);
  });
}

describe('requests that come over one connection without waiting for answers', () => {
  const requests = (count: number) => 'GET /short HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(count);

  it('are served one after the other, with others in between', async () => {
    const close = 'host: a\r\nconnection: close\r\n\r\n';
    const first = exchange(`${requests(99)}GET /last HTTP/1.1\r\n${close}`);
    const other = exchange(`GET /other HTTP/1.1\r\n${close}`);
    expect((await first).match(/HTTP\/1\.1 200 /g)).toHaveLength(100);
    expect(await other).toMatch(/^HTTP\/1\.1 200 /);
    expect(served).toHaveLength(101);
    expect(served.indexOf('/other')).toBeLessThan(50);
  });

  it('end the connection where they are too many, which is told once', async () => {
    const answered = (await exchange(requests(2000))).match(/HTTP\/1\.1 200 /g) ?? [];
    expect(answered.length).toBeLessThan(2);
    expect(told).toMatchObject([{ error: { code: 'bad-request', message: expect.stringContaining('100 requests') } }]);
    expect(await exchange('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('what comes over a connection and is no request', () => {
  it.each([
    ['TLS', Buffer.from([0x16, 3, 1, 0, 184, 1, 0, 0]), 'bad-request', 'TLS', 'http://', '400'],
    ['anything else', Buffer.from('what?\r\n\r\n'), 'bad-request', 'no request over HTTP/1.1', 'peer', '400'],
    ['endless headers', `GET / HTTP/1.1\r\nx: ${'y'.repeat(100_000)}`, 'too-large', '16384 bytes', 'headers', '431'],
    ['a long search', `GET /?text=${'y'.repeat(20_000)} HTTP/1.1\r\n\r\n`, 'too-large', '16384', 'address', '431'],
  ])('is answered and told with what to do: %s', async (_, bytes, code, message, next, status) => {
    const [head = '', body = ''] = (await exchange(bytes)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const error = { code, message: expect.stringContaining(message), next: expect.stringContaining(next) };
    expect(JSON.parse(body)).toEqual({ error });
    expect(told).toMatchObject([{ error, peer: '127.0.0.1' }]);
  });

  it('is answered over HTTP/2 where it is HTTP/2, as of a sender of gRPC', async () => {
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    session.on('error', () => undefined);
    const began = performance.now();
    const [code, , data] = (await once(session, 'goaway')) as [number, number, Buffer];
    expect(code).toBe(constants.NGHTTP2_HTTP_1_1_REQUIRED);
    expect(data.toString()).toContain('grpcPort');
    // gRPC for Go tries again at once, as often as it is answered.
    expect(performance.now() - began).toBeGreaterThan(RETRY_AFTER_MS / 2);
    expect(told).toMatchObject([{ error: { code: 'bad-request', message: expect.stringContaining('HTTP/2') } }]);
  });

  it('is not told of a sender that hangs up, nor of a request', async () => {
    const accepted = nextAccepted();
    const socket = connect(server.port, '127.0.0.1');
    const atServer = await accepted;
    const isClosed = new Promise((resolve) => atServer.once('close', resolve));
    socket.write('POST /v1/traces HT');
    await vi.waitFor(() => expect(atServer.bytesRead).toBeGreaterThan(0), { timeout: 20_000 });
    socket.resetAndDestroy();
    await isClosed;
    expect(await exchange('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')).toContain('answer');
    expect(told).toEqual([]);
  });

  it('does not run into an answer that is under way', async () => {
    const answer = await exchange('GET /long HTTP/1.1\r\nhost: a\r\n\r\n', 'what?\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(answer).not.toContain('400');
    await vi.waitFor(() => expect(told).toHaveLength(1), { timeout: 20_000 });
  });
});

describe('a connection whose sender has closed its half', () => {
  it('is answered like every other one, and ends with the answer', async () => {
    const answer = await exchange('POST /after-end HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}', '', true);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(answer).toContain('answer');
    expect(told).toEqual([]);
  });

  it('ends at once where it waits for no answer', async () => {
    expect(await exchange('', '', true)).toBe('');
  });

  it('is told what is wrong where its request is cut off', async () => {
    const answer = await exchange('POST /unanswered HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{}', '', true);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('closed within a request');
    // Whoever reads the body tells the others.
    expect(told).toEqual([]);
  });
});

describe('a stop', () => {
  it('answers a request that has arrived over a kept connection and was not read yet', async () => {
    const socket = connect(server.port, '127.0.0.1');
    const request = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
    socket.write(request);
    await once(socket, 'data');
    const answers: string[] = [];
    socket.on('data', (chunk: Buffer) => answers.push(chunk.toString('latin1')));
    socket.on('error', (error) => answers.push(error.message));
    // Both within one turn: the bytes are at the server, which cannot have read them.
    socket.write(request);
    const stopped = server.stop();
    await once(socket, 'close');
    expect(answers.join('')).toMatch(/^HTTP\/1\.1 200 OK.*connection: close.*answer$/is);
    await stopped;
  });

  it('does not wait for a connection over which nothing was sent, and does for one that has begun a request', async () => {
    const silent = connect(server.port, '127.0.0.1');
    await once(silent, 'connect');
    // Served by the time the silent one is known.
    await exchange('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    const begun = connect(server.port, '127.0.0.1');
    begun.write('GET /begun HTTP/1.1\r\n');
    await exchange('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    const stopped = server.stop(60_000);
    await once(silent, 'close');
    begun.write('host: a\r\n\r\n');
    const [answer] = (await once(begun, 'data')) as [Buffer];
    expect(answer.toString('latin1')).toMatch(/^HTTP\/1\.1 200 OK/);
    await stopped;
  });
});

describe('a connection that is kept', () => {
  // Node.js ends it after 5 s, which is when exporters use it again.
  it('outlives the pause between two exports', async () => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/`);
    expect(answer.headers.get('keep-alive')).toBe('timeout=75');
    await answer.text();
  });
});

describe('a connection that does not get encrypted', () => {
  const failure = (code: string) => Object.assign(new Error('the other side said no'), { code });

  it('is told with what to do, unless the other side hung up', () => {
    expect(describeHandshake(failure('ERR_SSL_HTTP_REQUEST'))).toMatchObject({
      next: expect.stringContaining('https://'),
    });
    expect(describeHandshake(failure('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'))?.message).toContain('the other side said no');
    expect(describeHandshake(failure('ECONNRESET'))).toBeUndefined();
    const closedByNode = describeHandshake(failure('ECONNRESET'), { authorizationError: 'CERT_HAS_EXPIRED' });
    expect(closedByNode?.message).toContain('CERT_HAS_EXPIRED');
    const otherHttp = failure('ERR_SSL_NO_APPLICATION_PROTOCOL');
    expect(describeHandshake(otherHttp)?.next).toMatch(/gRPC to grpcPort .*HTTP to httpPort/);
    const ofOpenSsl = Object.assign(failure('ERR_SSL_UNSUPPORTED_PROTOCOL'), { reason: 'unsupported protocol' });
    expect(describeHandshake(ofOpenSsl)?.message).toBe('A connection could not be encrypted: unsupported protocol.');
  });
});

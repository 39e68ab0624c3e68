import http, { type RequestListener } from 'node:http';
import http2, { type ServerHttp2Stream } from 'node:http2';
import { gunzipSync, gzipSync } from 'node:zlib';
import { addMethodSource, type FieldName, type MessageNames } from '@reenact/instrumentation';
import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp } from '../testdata/http-suite.ts';
import { clientSees, startService } from '../testdata/run-service.ts';
import { clientStreams, startStreamService } from '../testdata/stream-service.ts';

/** Taken before the patch: the client of these tests is nobody's agent. */
const { request: send } = http;
let undo: () => void;

function namesOf(name: string, fields: readonly FieldName[]): MessageNames {
  return { name, isMapEntry: false, fields: new Map(fields.map((field, index) => [index + 1, field])) };
}

const request = namesOf('test.Key', [
  { name: 'user', holds: 'text' },
  { name: 'password', holds: 'text' },
]);
const response = namesOf('test.Door', [
  { name: 'name', holds: 'text' },
  { name: 'session_token', holds: 'text' },
]);
const path = '/test.Vault/Open';

beforeAll(() => {
  addMethodSource((asked) => (asked === path ? { request, response } : undefined));
  undo = patchHttp({ inbound: true, outbound: false });
});
afterAll(() => undo());

/** No rule knows one of these by its form. */
const [password, token] = ['open sesame', 'mellon mellon mellon'];

function message(...texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text, index) => [Buffer.from([8 * (index + 1) + 2, text.length]), Buffer.from(text)]),
  );
}

function framed(...messages: readonly (readonly [flags: number, bytes: Buffer])[]): Buffer {
  return Buffer.concat(
    messages.flatMap(([flags, bytes]) => {
      const head = Buffer.from([flags, 0, 0, 0, 0]);
      head.writeUInt32BE(bytes.length, 1);
      return [head, bytes];
    }),
  );
}

const door = message('a door', token);
const answers: readonly (readonly [about: string, headers: Readonly<Record<string, string>>, body: Buffer])[] = [
  ['a message', { 'content-type': 'application/proto' }, door],
  ['a message that is packed', { 'content-type': 'application/proto', 'content-encoding': 'gzip' }, gzipSync(door)],
  [
    'a stream of Connect',
    { 'content-type': 'application/connect+proto' },
    framed([0, door], [1, gzipSync(door)], [2, Buffer.from('{}')]),
  ],
  [
    'a stream of gRPC-Web',
    { 'content-type': 'application/grpc-web+proto' },
    framed([0, door], [0x80, Buffer.from('grpc-status: 0\r\n')]),
  ],
];

function answering(headers: Readonly<Record<string, string>>, body: Buffer): RequestListener {
  return (asked, answer) => void asked.resume().on('end', () => answer.writeHead(200, headers).end(body));
}

interface Asked {
  readonly url: string;
  readonly body?: Buffer;
}

async function record(listener: RequestListener, { url, body }: Asked): Promise<RecordedCalls> {
  const service = await startService(listener);
  const calls = new RecordedCalls();
  const detach = calls.attach();
  const headers = { 'content-type': 'application/proto' };
  const options = body === undefined ? {} : { method: 'POST', headers };
  await clientSees(send, `${service.url}${url}`, options, body?.toString('latin1'));
  await calls.settled(1);
  await service.stop();
  detach();
  return calls;
}

/** Records it and runs it again; gives all that was kept of it, bytes as characters. */
async function bothEnds(
  listener: RequestListener,
  asked: Asked,
): Promise<{ readonly shown: string; readonly redacted: readonly string[] }> {
  const calls = await record(listener, asked);
  const player = new TapePlayer(calls.crossings());
  await player.during(() => record(listener, asked));
  expect(player.changed).toEqual([]);
  const { input, outcome, redacted } = calls.only;
  expect(player.outcomes).toEqual([outcome]);
  return { shown: shownOf(JSON.stringify([input, outcome])), redacted };
}

function unpacked(bytes: Buffer): Buffer {
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}

function shownOf(text: string): string {
  const encoded = Array.from(text.matchAll(/[\w+/-]{8,}={0,2}/g), ([found]) =>
    unpacked(Buffer.from(found, 'base64')).toString(),
  );
  return [text, ...encoded].join('\n');
}

describe('what a server answers a request with, whose method is known by its definition', () => {
  it.each(answers)('has no secret in %s that only the name of its field tells', async (_, headers, body) => {
    const { shown, redacted } = await bothEnds(answering(headers, body), {
      url: path,
      body: message('ali baba', password),
    });
    expect([password, token].filter((secret) => shown.includes(secret))).toEqual([]);
    expect(shown).toContain('ali baba');
    if (!('content-encoding' in headers)) expect(shown).toContain('a door');
    expect(redacted).toContain('/output/body');
  });

  it('keeps to its method where a framework has changed the address', async () => {
    const answer = answering({ 'content-type': 'application/proto' }, door);
    const listener: RequestListener = (asked, response) => {
      asked.url = '/';
      answer(asked, response);
    };
    const { shown } = await bothEnds(listener, { url: path, body: message('ali baba', password) });
    expect(shown).not.toContain(token);
  });

  it('has none in what a server of HTTP/2 answers and pushes', async () => {
    const streams = (stream: ServerHttp2Stream): void => {
      stream.pushStream({ ':path': path }, (_error, pushed) => {
        pushed.respond({ ':status': 200, 'content-type': 'application/proto' });
        pushed.end(door);
        stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' });
        stream.end(framed([0, door]));
      });
    };
    const service = await startStreamService(http2.createServer().on('stream', streams));
    const calls = new RecordedCalls();
    const detach = calls.attach();
    await clientStreams(service.url, [{ headers: { ':path': path } }]);
    await calls.settled(1);
    await service.stop();
    detach();
    const shown = shownOf(JSON.stringify(calls.only.outcome));
    expect(shown).toContain('a door');
    expect(shown).not.toContain(token);
    expect(calls.only.redacted).toEqual(['/output/body', '/output/pushed/0/body']);
  });
});

describe('a request that has its message in its address', () => {
  const key = message('ali baba', password);
  const json = Buffer.from(JSON.stringify({ user: 'ali baba', password }));
  it.each([
    ['base64', `encoding=proto&base64=1&message=${key.toString('base64url')}`],
    ['base64 with padding', `message=${key.toString('base64url')}%3D&base64=1&encoding=proto`],
    ['packed', `encoding=proto&base64=1&compression=gzip&message=${gzipSync(key).toString('base64url')}`],
    ['JSON in base64', `encoding=json&base64=1&message=${json.toString('base64url')}`],
    ['packed JSON', `encoding=json&base64=1&compression=gzip&message=${gzipSync(json).toString('base64url')}`],
    ['JSON', `encoding=json&message=${encodeURIComponent(json.toString())}`],
    ['plain bytes', `encoding=proto&message=${encodeURIComponent(key.toString())}`],
  ])('has no secret in it: %s', async (_, query) => {
    const { shown, redacted } = await bothEnds(answering({}, Buffer.alloc(0)), { url: `${path}?connect=v1&${query}` });
    for (const form of [password, encodeURIComponent(password)]) expect(shown).not.toContain(form);
    expect(redacted).toContain('/input/url');
  });
});

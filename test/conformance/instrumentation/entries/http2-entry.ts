import http2, { type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import {
  type EntryLibrary,
  type EntryQuestion,
  type EntryServer,
  type EntryWork,
  GIVES_UP_MS,
  type SeenAnswer,
} from './entry-library.ts';
import { httpEntries, patchServers } from './http-entries.ts';

/** Taken before anything is patched: the client is nobody's agent. */
const { connect } = http2;

function ask(port: number, question: EntryQuestion): Promise<SeenAnswer> {
  return new Promise((resolve) => {
    let status: number | undefined;
    let body = '';
    let end: SeenAnswer['end'] = 'broken off';
    const session = connect(`http://127.0.0.1:${port}`);
    const stream = session.request({ ':method': 'POST', ':path': '/ask', 'content-type': 'application/json' });
    const leave = (): void => {
      end = 'left';
      stream.close(http2.constants.NGHTTP2_CANCEL);
    };
    stream.on('response', ({ ':status': given }) => {
      status = given;
    });
    stream.setEncoding('utf8').on('data', (part: string) => {
      body += part;
      if (question.asks === 'client leaves') leave();
    });
    stream.on('end', () => {
      if (end !== 'left' && stream.rstCode === http2.constants.NGHTTP2_NO_ERROR) end = 'whole';
    });
    // Told of by the end.
    stream.on('error', () => undefined);
    stream.on('close', () => {
      if (stream.rstCode !== http2.constants.NGHTTP2_NO_ERROR && end === 'whole') end = 'broken off';
      session.close(() => resolve({ status, body, end }));
    });
    if (question.asks === 'timeout') stream.setTimeout(GIVES_UP_MS, leave);
    stream.end(JSON.stringify(question));
  });
}

async function respond(stream: ServerHttp2Stream, work: EntryWork): Promise<void> {
  const { status, parts } = await work(JSON.parse(await text(stream)) as EntryQuestion);
  stream.respond({ ':status': status, 'content-type': 'text/plain' });
  await pipeline(parts, stream).catch(() => undefined);
}

async function start(work: EntryWork): Promise<EntryServer> {
  const server = http2.createServer().on('stream', (stream) => {
    stream.on('error', () => undefined);
    void respond(stream, work);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const { loaded = '' } = httpEntries[0] ?? {};

/** A server of `node:http2`, by its own interface. */
export const http2Entry: EntryLibrary = {
  name: '`node:http2`',
  start,
  ask,
  patch: patchServers,
  patched: () => [[http2, 'createServer']],
  run: 'agent:POST /ask',
  loaded,
};

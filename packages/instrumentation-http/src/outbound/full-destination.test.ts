import { createHash } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import { PassThrough, pipeline, type Readable, Writable } from 'node:stream';
import * as undici from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchHttp, recordAct } from '../testdata/http-suite.ts';
import { ScriptedServer } from '../testdata/scripted-server.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchHttp({}, undici);
});
afterAll(() => undo());

/** As a connection whose other end reads no more, and then goes. */
class FullDestination extends Writable {
  private isFull: () => void = () => undefined;
  private readonly full = new Promise<void>((resolve) => {
    this.isFull = resolve;
  });

  override _write(): void {
    this.isFull();
  }

  async leave(): Promise<void> {
    await this.full;
    // The pipe stands still once it has been told to.
    while (!this.writableNeedDrain) await new Promise(setImmediate);
    this.destroy();
  }
}

type HandOn = (url: string, destination: Writable) => Promise<void>;

async function ask(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => http.get(url, resolve).on('error', reject));
}

/** Until a body that was handed on has been called off. */
async function over(body: Readable): Promise<void> {
  await new Promise<void>((resolve) => void body.on('error', () => undefined).once('close', resolve));
}

function proxied(body: Readable, ...through: PassThrough[]): (destination: Writable) => Promise<void> {
  return async (destination) => {
    pipeline([body, ...through, destination], () => undefined);
    await over(body);
  };
}

const ways: readonly (readonly [string, HandOn])[] = [
  [
    'node:http, pipe',
    async (url, destination) => {
      const response = await ask(url);
      response.pipe(destination).on('close', () => response.destroy());
      await over(response);
    },
  ],
  ['node:http, pipeline', async (url, destination) => proxied(await ask(url))(destination)],
  [
    'node:http, through another stream',
    async (url, destination) => proxied(await ask(url), new PassThrough())(destination),
  ],
  ['undici.request', async (url, destination) => proxied((await undici.request(url)).body)(destination)],
  [
    'undici.stream',
    async (url, destination) =>
      void (await undici.stream(url, { method: 'GET' }, () => destination).catch(() => undefined)),
  ],
];

describe('an answer that is handed on to who is full, and leaves', () => {
  it.each(ways)('was waited for: how much of it was taken says nothing: %s', async (_name, handOn) => {
    const server = await ScriptedServer.start((_request, response) => void response.write('x'.repeat(1_000_000)));
    const { calls } = await recordAct(async () => {
      const destination = new FullDestination({ highWaterMark: 1 });
      await Promise.all([handOn(server.url, destination), destination.leave()]);
    });
    await server.stop();
    expect(calls.crossings()[0]?.exchanges[0]?.response).toMatchObject({ end: 'aborted', reader: 'waiting' });
  });
});

describe('an answer that is piped into a stream nobody reads', () => {
  it('was left, also where there is room for all of it', async () => {
    const server = await ScriptedServer.start((_request, response) => void response.write('some of it'));
    const { calls } = await recordAct(async () => {
      const response = await ask(server.url);
      const between = response.pipe(new PassThrough());
      while (between.readableLength === 0) await new Promise(setImmediate);
      response.destroy();
    });
    await server.stop();
    expect(calls.crossings()[0]?.exchanges[0]?.response).toMatchObject({ end: 'aborted', reader: 'satisfied' });
  });

  it('was left', async () => {
    const server = await ScriptedServer.start((_request, response) => void response.write('x'.repeat(1_000_000)));
    const { calls } = await recordAct(async () => {
      const response = await ask(server.url);
      const between = response.pipe(new PassThrough());
      while (!between.writableNeedDrain) await new Promise(setImmediate);
      response.destroy();
    });
    await server.stop();
    expect(calls.crossings()[0]?.exchanges[0]?.response).toMatchObject({ end: 'aborted', reader: 'satisfied' });
  });
});

describe('an answer that is piped into a stream which gives nothing before it has all', () => {
  it('was waited for', async () => {
    const server = await ScriptedServer.start((_request, response) => void response.write('some of it'));
    const { calls } = await recordAct(async () => {
      const response = await ask(server.url);
      const digest = response.pipe(createHash('sha256'));
      while (response.readableFlowing !== true || !response.readableDidRead) await new Promise(setImmediate);
      response.destroy();
      digest.destroy();
    });
    await server.stop();
    expect(calls.crossings()[0]?.exchanges[0]?.response).toMatchObject({ end: 'aborted', reader: 'waiting' });
  });
});

describe('an answer that is read through another stream', () => {
  it.each<[string, (between: PassThrough, read: () => void) => void]>([
    ['by a loop', (between, read) => void readAll(between, read)],
    ['by listening', (between, read) => void between.on('data', read).on('error', () => undefined)],
  ])('was waited for where it is called off meanwhile, as node-fetch does: %s', async (_name, begin) => {
    const server = await ScriptedServer.start((_request, response) => void response.write('some of it'));
    const { calls } = await recordAct(async () => {
      const response = await ask(server.url);
      const between = pipeline(response, new PassThrough(), () => undefined);
      await new Promise<void>((resolve) => begin(between, resolve));
      // Until its reader waits for the next part.
      await new Promise(setImmediate);
      between.emit('error', new Error('called off'));
      response.destroy();
      if (!between.destroyed) await over(between);
    });
    await server.stop();
    expect(calls.crossings()[0]?.exchanges[0]?.response).toMatchObject({ reader: 'waiting' });
  });
});

async function readAll(body: Readable, read: () => void): Promise<void> {
  try {
    for await (const _part of body) read();
  } catch {
    // It was called off.
  }
}

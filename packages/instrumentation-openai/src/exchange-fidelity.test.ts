import { gzipSync } from 'node:zlib';
import { gate } from '@reenact/instrumentation';
import { completionJson, recordThenServe, type Script } from '@reenact/instrumentation/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { clientOf, patchOpenAI } from './testdata/client-suite.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchOpenAI();
});
afterAll(() => undo());

async function ask(baseURL: string): Promise<unknown> {
  const promise = clientOf(baseURL).chat.completions.create({
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'Größe?' }],
  });
  const { data, response, request_id } = await promise.withResponse();
  return {
    data,
    requestId: Reflect.get(data, '_request_id'),
    request_id,
    status: response.status,
    statusText: response.statusText,
    url: response.url,
    redirected: response.redirected,
    type: response.type,
    headers: [...response.headers].filter(([name]) => name !== 'set-cookie'),
    isResponse: response instanceof Response,
    bodyUsed: response.bodyUsed,
  };
}

function answer(body: string | Buffer, headers: Record<string, string> = {}): Script {
  return (response) => {
    response.writeHead(200, 'Fine', { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers });
    response.end(body);
  };
}

describe('an answered call', () => {
  it('comes back with the same data, request id, headers, status and address', async () => {
    const ends = await recordThenServe(answer(completionJson('1,80 m 📏'), { 'x-custom': 'a, b' }), ask);
    expect(ends.requests).toEqual({ recording: 1, total: 1 });
    expect(ends.recorded.error).toBeUndefined();
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.recorded.value).toMatchObject({
      requestId: 'req_1',
      status: 200,
      statusText: 'Fine',
      isResponse: true,
    });
    expect(ends.calls.only.outcome.type).toBe('returned');
    expect(ends.calls.only.call).toBe('exchange');
  });

  it('keeps the request byte for byte once, and no credential', async () => {
    const ends = await recordThenServe(answer(completionJson('x'), { 'set-cookie': 'session=hush' }), ask);
    const [crossing] = ends.crossings;
    expect(crossing?.input?.data).toBe('{"model":"gpt-4o","messages":[{"role":"user","content":"Größe?"}]}');
    expect(crossing?.exchanges[0]?.request.body).toEqual({ sameAs: 'input' });
    expect(
      JSON.stringify(ends.calls.facts, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toMatch(/sk-secret-key|hush/);
    expect(crossing?.exchanges[0]?.request.headers).toContainEqual([
      'authorization',
      expect.stringContaining('[redacted:'),
    ]);
    expect(crossing?.exchanges[0]?.response?.headers).toContainEqual([
      'set-cookie',
      expect.stringContaining('[redacted:'),
    ]);
  });

  it('keeps no credential that stands in the address', async () => {
    const ends = await recordThenServe(answer(completionJson('x')), (baseURL) =>
      clientOf(`${baseURL}?key=hush`).chat.completions.create({ model: 'm', messages: [] }),
    );
    expect(ends.recorded.error).toBeUndefined();
    expect(ends.replayed).toEqual(ends.recorded);
    expect(JSON.stringify([ends.crossings[0]?.exchanges, ends.calls.only.slim])).not.toContain('hush');
  });

  it('is served again after content decoding', async () => {
    const body = gzipSync(completionJson('compressed'));
    const ends = await recordThenServe(answer(body, { 'content-encoding': 'gzip' }), ask);
    expect(ends.replayed).toEqual(ends.recorded);
    expect(JSON.stringify(ends.replayed.value)).toContain('compressed');
  });
});

describe('an answer', () => {
  it('may be empty', async () => {
    const ends = await recordThenServe(answer(''), (baseURL) =>
      clientOf(baseURL).chat.completions.create({ model: 'm', messages: [] }),
    );
    expect(ends.recorded).toEqual({ value: undefined });
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.requests.total).toBe(1);
  });

  it('may have no body at all', async () => {
    const script: Script = (response) => response.writeHead(204, { 'x-request-id': 'req_2' }).end();
    const ends = await recordThenServe(script, (baseURL) => clientOf(baseURL).delete('/files/f'));
    expect(ends.recorded).toEqual({ value: null });
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.crossings[0]?.exchanges[0]?.response).toMatchObject({ hasBody: false, end: 'complete' });
  });

  it('may be huge', async () => {
    const content = 'ä'.repeat(6_000_000);
    const ends = await recordThenServe(answer(completionJson(content)), ask);
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.requests.total).toBe(1);
  });

  it('may be bytes that are no text', async () => {
    const sound = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 256));
    const script = answer(sound, { 'content-type': 'audio/mpeg' });
    const ends = await recordThenServe(script, async (baseURL) => {
      const speech = await clientOf(baseURL).audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'hello' });
      return Buffer.from(await speech.arrayBuffer());
    });
    expect(ends.recorded.value).toEqual(sound);
    expect(ends.replayed.value).toEqual(sound);
    expect(ends.calls.only.boundary).toMatchObject({ kind: 'http', effect: 'write' });
    expect(ends.calls.only.boundary.name).toMatch(/^POST 127\.0\.0\.1:\d+$/);
  });
});

describe('a raw response', () => {
  it('stays readable as the user likes: clone, text, byte reader', async () => {
    const ends = await recordThenServe(answer(completionJson('raw')), async (baseURL) => {
      const request = clientOf(baseURL).chat.completions.create({ model: 'm', messages: [] });
      const response = await request.asResponse();
      const copy = response.clone();
      const reader = copy.body?.getReader({ mode: 'byob' });
      let bytes = 0;
      for (;;) {
        const result = await reader?.read(new Uint8Array(16));
        if (result === undefined || result.done) break;
        bytes += result.value.byteLength;
      }
      return { text: await response.text(), bytes, url: copy.url, status: copy.status };
    });
    expect(ends.recorded.value).toMatchObject({ bytes: Buffer.byteLength(completionJson('raw')) });
    expect(ends.replayed).toEqual(ends.recorded);
  });
});

describe('an upload', () => {
  const upload = (bytes: Uint8Array<ArrayBuffer>) => (baseURL: string) =>
    clientOf(baseURL).files.create({ purpose: 'assistants', file: new File([bytes], 'quotes.bin') });

  it('is recorded by its fields and by what its files hold, whatever the boundary between them', async () => {
    const ends = await recordThenServe(answer('{"id":"file_1"}'), upload(new Uint8Array([255, 0, 1])));
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.requests).toEqual({ recording: 1, total: 1 });
    const [crossing] = ends.crossings;
    expect(crossing?.lossy).toEqual([]);
    expect(JSON.parse(crossing?.input?.data ?? '{}')).toMatchObject({
      body: {
        form: [
          { name: 'purpose', value: 'assistants' },
          { name: 'file', file: { name: 'quotes.bin', content: { base64: '/wAB' } } },
        ],
      },
    });
  });

  it('is kept by length and digest where it is long', async () => {
    const ends = await recordThenServe(answer('{"id":"file_1"}'), upload(new Uint8Array(20_000_000)));
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.crossings[0]?.input?.data).toContain('"content":{"bytes":20000000,"sha256":"');
  });

  it('is not read where recording is switched off', async () => {
    const read = vi.spyOn(Blob.prototype, 'stream');
    const openai = new OpenAI({ apiKey: 'key', fetch: async () => Response.json({ id: 'file_1' }) });
    const send = () => openai.files.create({ purpose: 'assistants', file: new File(['quotes'], 'quotes.bin') });
    await send();
    expect(read).toHaveBeenCalled();
    read.mockClear();
    gate.disable();
    expect(await send()).toMatchObject({ id: 'file_1' });
    gate.enable();
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
  });
});

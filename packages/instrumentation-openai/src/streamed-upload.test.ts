import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BothEnds, recordThenServe, type Script } from '@reenact/instrumentation/testing';
import { UNSENT_BODY_MARK } from '@reenact/trace-model';
import { toStreamingFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, patchOpenAI } from './testdata/client-suite.ts';

let undo: () => void;
let folder: string;
const file = (): string => join(folder, 'quotes.bin');
const content = Buffer.alloc(200_000, 'quotes \xff\n', 'latin1');

beforeAll(async () => {
  undo = patchOpenAI();
  folder = await mkdtemp(join(tmpdir(), 'reenact-upload-'));
  await writeFile(file(), content);
});
afterAll(async () => {
  undo();
  await rm(folder, { recursive: true });
});

const taken: Script = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"f"}');

function inputOf({ crossings }: BothEnds): { body?: unknown } {
  return JSON.parse(crossings[0]?.input?.data ?? '{}');
}

function expectReproduced(ends: BothEnds): void {
  expect(ends.replayed).toEqual(ends.recorded);
  expect(ends.player.changed).toEqual([]);
  expect(ends.requests).toEqual({ recording: 1, total: 1 });
}

const uploads: readonly (readonly [string, (baseURL: string) => unknown, string])[] = [
  [
    'files.create',
    (baseURL) => clientOf(baseURL).files.create({ purpose: 'assistants', file: createReadStream(file()) }),
    'purpose',
  ],
  [
    'audio.transcriptions.create',
    (baseURL) => clientOf(baseURL).audio.transcriptions.create({ model: 'whisper-1', file: createReadStream(file()) }),
    'model',
  ],
  [
    'images.edit',
    (baseURL) => clientOf(baseURL).images.edit({ prompt: 'a hat', image: createReadStream(file()) }),
    'prompt',
  ],
];

describe('an upload that is read while it is sent', () => {
  it.each(uploads)('of %s is recorded by its fields and by what its files hold', async (_name, act, field) => {
    const ends = await recordThenServe(taken, act);
    expectReproduced(ends);
    expect(ends.crossings[0]?.lossy).toEqual([]);
    const { form } = inputOf(ends).body as { form: { name: string; file?: { content: { base64: string } } }[] };
    expect(form.map(({ name }) => name).sort()).toEqual([field, field === 'prompt' ? 'image' : 'file'].sort());
    expect(form.find((entry) => entry.file !== undefined)?.file?.content.base64).toBe(content.toString('base64'));
  });

  it('of another file is another input', async () => {
    let uploaded = 0;
    async function* parts(): AsyncGenerator<Buffer> {
      uploaded += 1;
      yield Buffer.from(`file ${uploaded}`);
    }
    const ends = await recordThenServe(taken, (baseURL) =>
      clientOf(baseURL).files.create({ purpose: 'assistants', file: toStreamingFile(parts(), 'a.txt') }),
    );
    expect(ends.player.changed).toHaveLength(1);
  });

  it('is read once, and no faster than it is sent', async () => {
    const given: number[] = [];
    let sent = 0;
    async function* parts(): AsyncGenerator<Buffer> {
      for (let part = 0; part < 200; part += 1) {
        given.push(part);
        yield Buffer.alloc(1_024);
      }
    }
    const slow: typeof fetch = async (_url, init) => {
      const reader = new Response(init?.body).body?.getReader();
      for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
        sent += 1;
        // What was read and not sent: one part here and in each of the streams between.
        expect(given.length - sent).toBeLessThan(8);
      }
      return Response.json({ id: 'f' });
    };
    await recordThenServe(taken, (baseURL) =>
      clientOf(baseURL, { fetch: slow }).files.create({
        purpose: 'assistants',
        file: toStreamingFile(parts(), 'a.bin'),
      }),
    );
    // Once for the recording, and once for what stands in for it in the replay.
    expect(given).toHaveLength(400);
  });
});

describe('an upload that does not come to its end', () => {
  it('fails where it cannot be read further, as it did, and is recorded up to there', async () => {
    async function* parts(): AsyncGenerator<Buffer> {
      yield Buffer.from('half of it');
      throw new Error('disk on fire');
    }
    const ends = await recordThenServe(taken, (baseURL) =>
      clientOf(baseURL, { maxRetries: 0 }).files.create({
        purpose: 'assistants',
        file: toStreamingFile(parts(), 'a.txt'),
      }),
    );
    expect(ends.recorded.error).toMatchObject({ cause: { cause: { message: 'disk on fire' } } });
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.player.changed).toEqual([]);
    expect(ends.crossings[0]?.lossy).toEqual([]);
    expect(inputOf(ends).body).toMatchObject({
      isBroken: true,
      form: [{ name: 'purpose' }, { file: { content: { text: 'half of it' } } }],
    });
  });

  it('is marked where it is called off, and needs no end in a replay either', async () => {
    const ends = await recordThenServe(taken, (baseURL) => {
      const controller = new AbortController();
      async function* parts(): AsyncGenerator<Buffer> {
        yield Buffer.from('first');
        controller.abort();
        await new Promise(() => undefined);
      }
      const asked = { purpose: 'assistants', file: toStreamingFile(parts(), 'a.txt') } as const;
      return clientOf(baseURL).files.create(asked, { signal: controller.signal });
    });
    expect(ends.recorded.error).toMatchObject({ message: 'Request was aborted.' });
    expect(ends.replayed).toEqual(ends.recorded);
    expect(ends.player.changed).toEqual([]);
    expect(ends.crossings[0]?.lossy).toEqual([UNSENT_BODY_MARK]);
    expect(inputOf(ends)).not.toHaveProperty('body');
  });
});

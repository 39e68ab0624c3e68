import { gzipSync } from 'node:zlib';
import { serveRecording } from '@reenact/replay';
import { chunkBytes, type Exchange, type Recording } from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask } from './ask.ts';
import { postRaw } from './raw-request.ts';
import { recordAct } from './recorded-agent.ts';
import { completion, sendJson } from './scripted-provider.ts';
import { serving } from './served.ts';

const question = { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'hello' }] };

function recordHello(headers = {}): Promise<Recording> {
  return recordAct(
    (response) => sendJson(response, completion('hello'), 200, headers),
    (client) => ask(client, 'hello'),
  );
}

/** The same recording with another body and other headers in its only exchange. */
function withResponse(recording: Recording, change: Partial<NonNullable<Exchange['response']>>): Recording {
  const crossings = recording.crossings.map((crossing) => ({
    ...crossing,
    exchanges: crossing.exchanges.map((exchange) => ({
      ...exchange,
      ...(exchange.response === undefined ? {} : { response: { ...exchange.response, ...change } }),
    })),
  }));
  return { ...recording, crossings, bySpanId: new Map(crossings.map((crossing) => [crossing.spanId, crossing])) };
}

describe('on the wire', () => {
  it('body bytes and chunk boundaries are the recorded ones, whatever they are', async () => {
    const recording = await recordHello();
    const body = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(body, async (parts) => {
        const chunks = parts.map((part): [number, { base64: string }] => [
          0,
          { base64: Buffer.from(part).toString('base64') },
        ]);
        const { value } = await serving(withResponse(recording, { chunks }), (_client, { url }) =>
          postRaw(url, '/v1/chat/completions', question),
        );
        expect(value.chunks).toEqual(chunks.map((chunk) => Buffer.from(chunkBytes(chunk))));
      }),
      { numRuns: 25 },
    );
  });

  it('headers of the answer stay, those of its connection and encoding go', async () => {
    const recording = withResponse(await recordHello(), {
      headers: [
        ['content-type', 'application/json'],
        ['content-encoding', 'gzip'],
        ['content-length', String(gzipSync('{}').byteLength)],
        ['transfer-encoding', 'chunked'],
        ['keep-alive', 'timeout=5'],
        ['x-ratelimit-remaining', '7'],
        ['x-twice', 'a'],
        ['x-twice', 'b'],
        ['set-cookie', '[redacted]'],
      ],
    });
    const { value } = await serving(recording, (_client, { url }) => postRaw(url, '/v1/chat/completions', question));
    const [status, ...lines] = value.head.toLowerCase().split('\r\n');
    expect(status).toBe('http/1.1 200 ok');
    expect(lines).toEqual(
      expect.arrayContaining([
        'content-type: application/json',
        'x-ratelimit-remaining: 7',
        'x-twice: a',
        'x-twice: b',
      ]),
    );
    expect(lines.filter((line) => /^(content-encoding|content-length|keep-alive|set-cookie)/.test(line))).toEqual([]);
  });

  it('the address may have a prefix of its own, as deployments do', async () => {
    const { value, report } = await serving(await recordHello(), (_client, { url }) =>
      postRaw(url, '/openai/deployments/gpt/chat/completions?api-version=1', question),
    );
    expect(value.head).toMatch(/^HTTP\/1.1 200/);
    expect(report.exitCode).toBe(0);
  });
});

describe('the port', () => {
  it('is a free one unless it is named, and is refused where it is taken', async () => {
    const recording = await recordHello();
    const first = await serveRecording({ recording });
    const port = Number(new URL(first.url).port);
    expect(port).toBeGreaterThan(0);
    await expect(serveRecording({ recording, port })).rejects.toMatchObject({ code: 'port-taken' });
    await first.stop();
    const second = await serveRecording({ recording, port });
    expect(second.url).toBe(first.url);
    await second.stop();
  });

  it('is on loopback only', async () => {
    const { value } = await serving(await recordHello(), async (_client, { url }) => url);
    expect(new URL(value).hostname).toBe('127.0.0.1');
  });
});

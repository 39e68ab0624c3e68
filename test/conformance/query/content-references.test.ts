import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CollectorClient, createCollectorClient } from '@reenact/collector-client';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_INPUT_MESSAGES_REF,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
} from '@reenact/semconv/gen-ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, spansOf, Testbed, textAttributes, traceIdOf } from '../testbed.ts';
import { send } from './run-corpus.ts';

const CONTENT = JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'sell the zebra' }] }]);
const SAID = JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'sold' }] }]);

const testbed = new Testbed();
let client: CollectorClient;
let httpUrl: string;
let folder: string;
let server: Server;
let origin: string;
const asked: string[] = [];
const lines: string[] = [];

beforeAll(async () => {
  folder = await testbed.directory();
  mkdirSync(join(folder, 'allowed'));
  writeFileSync(join(folder, 'allowed', 'in.json'), CONTENT);
  writeFileSync(join(folder, 'secret.json'), CONTENT);
  symlinkSync(join(folder, 'secret.json'), join(folder, 'allowed', 'link.json'));
  writeFileSync(join(folder, 'allowed', 'large.json'), JSON.stringify('x'.repeat(5_000)));
  // A picture, say: read as text it would be given as another than it is.
  writeFileSync(join(folder, 'allowed', 'no-text.bin'), Buffer.from([0xff, 0xfe, 0, 1]));
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url?.startsWith('/genai/denied')) response.writeHead(403).end('a secret');
    else if (request.url === '/genai/moved') response.writeHead(302, { location: '/genai/in.json' }).end();
    else response.end(CONTENT);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const allow = [pathToFileURL(join(folder, 'allowed')).href, `${origin}/genai/`];
  ({ httpUrl } = await testbed.start({ references: { allow, bytesMax: 4_000 } }, { log: (line) => lines.push(line) }));
  client = createCollectorClient({ url: httpUrl });
});
afterAll(async () => {
  server.close();
  await testbed.dispose();
});

/** The verdict on a run whose input is a reference. */
async function verdictWith(
  number: number,
  reference: string,
  to: CollectorClient = client,
  url = httpUrl,
): Promise<string | undefined> {
  const attributes = textAttributes({
    [ATTR_GEN_AI_OPERATION_NAME]: 'chat',
    [ATTR_GEN_AI_PROVIDER_NAME]: 'openai',
    [ATTR_GEN_AI_REQUEST_MODEL]: 'm-1',
    [ATTR_GEN_AI_INPUT_MESSAGES_REF]: reference,
    [ATTR_GEN_AI_OUTPUT_MESSAGES]: SAID,
  });
  await send(url, [makeSpan({ traceId: traceIdOf(number), spanId: spanIdOf(number), kind: 3, attributes })]);
  return (await to.listRuns({ trace: traceIdOf(number) })).runs[0]?.replayability.verdict;
}

const local = (name: string) => pathToFileURL(join(folder, name)).href;

describe('content that lies elsewhere', () => {
  it('is fetched from places that are allowed, and is in recordings, trees and search', async () => {
    const digest = createHash('sha256').update(CONTENT).digest('hex');
    expect(await verdictWith(1, `${local('allowed/in.json')}#sha256=${digest}`)).toBe('partial');
    expect(await verdictWith(2, `${origin}/genai/in.json`)).toBe('partial');
    expect((await client.listRuns({ text: 'zebra' })).runs).toHaveLength(2);
    expect((await client.getRun(traceIdOf(1))).crossings[0]?.input).toContain('zebra');
    expect(JSON.stringify(await client.getRecording(traceIdOf(2)))).toContain('zebra');
  });

  it('stays a reference where the place, the digest, the size or the way there is not right', async () => {
    const wrong = [
      local('secret.json'),
      local('allowed/../secret.json'),
      local('allowed/link.json'),
      local('allowed/large.json'),
      local('allowed/missing.json'),
      `${local('allowed/in.json')}#sha256=${'0'.repeat(64)}`,
      `${origin}/other/in.json`,
      `${origin}/genai/../other/in.json`,
      `${origin}/genai/moved`,
      'not a url',
    ];
    for (const [index, reference] of wrong.entries()) {
      expect(await verdictWith(10 + index, reference), reference).toBe('cold');
    }
    expect(asked.filter((path) => path.startsWith('/other'))).toEqual([]);
    expect(JSON.stringify(await client.getRecording(traceIdOf(10)))).toContain(local('secret.json'));
  });

  it('stays a reference where it is no text', async () => {
    await verdictWith(31, local('allowed/no-text.bin'));
    const keys = spansOf(await client.getRecording(traceIdOf(31))).flatMap(({ attributes = [] }) =>
      attributes.map(({ key }) => key),
    );
    expect(keys).toContain(ATTR_GEN_AI_INPUT_MESSAGES_REF);
    expect(keys).not.toContain(ATTR_GEN_AI_INPUT_MESSAGES);
  });

  it('is not looked at where nothing is allowed', async () => {
    const before = asked.length;
    const other = await testbed.start();
    const reader = createCollectorClient({ url: other.httpUrl });
    expect(await verdictWith(1, `${origin}/genai/in.json`, reader, other.httpUrl)).toBe('cold');
    expect(asked).toHaveLength(before);
  });
});

describe('content that cannot be had', () => {
  it('is told of once somebody asks for it and it cannot be had, without the reference', async () => {
    expect(await verdictWith(30, `${origin}/genai/denied?signature=abc`)).toBe('cold');
    await client.getRecording(traceIdOf(30));
    const told = lines.map((line) => JSON.parse(line)).filter(({ reason }) => /403/.test(reason));
    expect(told).toMatchObject([{ event: 'content not fetched', level: 'warn', place: `${origin}/genai/`, count: 1 }]);
    expect(lines.join()).not.toMatch(/signature|a secret/);
  });

  it('is told of where it is allowed nowhere, by its host or scheme and not the reference', async () => {
    const references = ['s3://bucket/key?signature=abc', 'https://ada:abc@elsewhere.example/key', 'not a signature'];
    for (const [index, reference] of references.entries()) {
      expect(await verdictWith(40 + index, reference)).toBe('cold');
      await client.getRecording(traceIdOf(40 + index));
    }
    const told = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'content not fetched');
    const places = Map.groupBy(told, ({ reason }) => reason);
    const isBelowNone = places.get('it is below no place of references.allow') ?? [];
    expect(isBelowNone.map(({ place }) => place)).toEqual(
      expect.arrayContaining(['s3://bucket', 'https://elsewhere.example']),
    );
    expect(places.get('its reference is no address')).toHaveLength(1);
    expect(lines.join()).not.toMatch(/signature|abc/);
  });
});

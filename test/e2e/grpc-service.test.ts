import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { type EchoProvider, startEchoProvider } from './provider.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

interface Words {
  readonly words: string;
}

type Answer = (error: ServiceError | null, value?: Words) => void;

const serialize = (value: Words): Buffer => Buffer.from(JSON.stringify(value));
const deserialize = (bytes: Buffer): Words => JSON.parse(bytes.toString()) as Words;
const script = 'grpc-service.ts';
let provider: EchoProvider;
let stage: Stage;
const runs = new Map<string, string>();

function asking(client: Client, metadata: Metadata): Promise<string> {
  return new Promise((resolve, reject) => {
    const answer: Answer = (error, value) => (error === null ? resolve(value?.words ?? '') : reject(error));
    client.makeUnaryRequest('/e2e.Desk/Ask', serialize, deserialize, { words: 'what' }, metadata, answer);
  });
}

function summing(client: Client): Promise<string> {
  return new Promise((resolve, reject) => {
    const answer: Answer = (error, value) => (error === null ? resolve(value?.words ?? '') : reject(error));
    const call = client.makeClientStreamRequest('/e2e.Desk/Sum', serialize, deserialize, answer);
    call.write({ words: 'one' });
    call.write({ words: 'two' });
    call.end();
  });
}

async function heard(stream: AsyncIterable<Words>): Promise<string[]> {
  const said: string[] = [];
  for await (const { words } of stream) said.push(words);
  return said;
}

async function callAll(port: number): Promise<string[][]> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.add('x-tag', 'a');
  metadata.add('x-tag', 'b');
  metadata.add('x-proof-bin', Buffer.from([0, 255]));
  const listing = client.makeServerStreamRequest('/e2e.Desk/List', serialize, deserialize, { words: 'all' });
  const chat = client.makeBidiStreamRequest('/e2e.Desk/Chat', serialize, deserialize);
  chat.write({ words: 'one' });
  chat.end({ words: 'two' });
  const said = [[await asking(client, metadata)], await heard(listing), [await summing(client)], await heard(chat)];
  client.close();
  return said;
}

beforeAll(async () => {
  provider = await startEchoProvider();
  stage = await setSmallStage(provider.environment);
  const service = await stage.start(['--import', 'reenact/register', script]);
  const { port } = JSON.parse(service.firstLine) as { port: number };
  const said = await callAll(port).finally(() => service.stop());
  expect(said).toEqual([
    [expect.stringMatching(/^Hello. what a, b 00ff: The provider answers. \d+$/)],
    ['first', expect.stringMatching(/^Hello. all: /)],
    [expect.stringMatching(/^Hello. one and two: /)],
    ['one!', 'two!', expect.stringMatching(/^Hello. bye: /)],
  ]);
  for (const run of await listRuns(stage)) {
    expect(run).toMatchObject({ crossingCount: 3, replayability: { verdict: 'full' } });
    runs.set(run.name, run.rootSpanId);
  }
});

afterAll(async () => {
  await stage.stop();
  await provider.stop();
});

function spanIdOf(method: string): string {
  return runs.get(`agent:e2e.Desk/${method}`) ?? '';
}

describe('a service that answered a gRPC call', () => {
  it.each(['Ask', 'List', 'Sum', 'Chat'])('answers %s again as it did, without the provider', async (method) => {
    const before = provider.requestCount();
    const { report, result } = await replayAsJson(stage, spanIdOf(method), script);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [], agentExit: 'exit code 0' });
    expect(report.counts).toMatchObject({ rerun: 1, stubbed: 2 });
    expect(result.exitCode).toBe(0);
    expect(provider.requestCount()).toBe(before);
  });

  it.each([
    ['Ask', '$.message.words'],
    ['List', '$.messages[1].words'],
  ])('is told apart when %s answers something else', async (method, path) => {
    const environment = { GREETING: 'Good morning.' };
    const { report, result } = await replayAsJson(stage, spanIdOf(method), script, { environment });
    expect(result.exitCode).toBe(1);
    expect(report.divergences).toMatchObject([
      {
        kind: 'outcome-changed',
        path: `agent:e2e.Desk/${method}`,
        difference: [{ path, live: expect.stringContaining('Good morning.') }],
      },
    ]);
  });
});

describe('what cannot be entered', () => {
  it('is a server without the method, and the report says so', async () => {
    const environment = { SERVICE: 'Counter' };
    const { report, result } = await replayAsJson(stage, spanIdOf('Ask'), script, { environment });
    expect(result.exitCode).toBe(2);
    expect(report.notes.join()).toMatch(/has no method \/e2e\.Desk\/Ask/);
  });

  it('is a command that never listens', async () => {
    const { report, result } = await replayAsJson(stage, spanIdOf('Ask'), 'untouched.ts');
    expect(result.exitCode).toBe(2);
    expect(report.notes.join()).toMatch(/ended before it listened, so the recorded call \/e2e\.Desk\/Ask was not sent/);
  });

  it.each([
    ['http://127.0.0.1:9', /The run was entered by a gRPC call.*--url grpc:\/\/127\.0\.0\.1:9/s],
    ['grpc://127.0.0.1', /is not the address of a service.*grpc:\/\/127\.0\.0\.1:50051/s],
    ['grpc://127.0.0.1:9', /could not be asked.*ECONNREFUSED.*\(grpc:\/\/127\.0\.0\.1:9\)/],
    ['grpcs://[::1]:9', /could not be asked.*\(grpcs:\/\/\[::1\]:9\)/],
  ])('is a service that is not there: %s', async (url, told) => {
    const keyFile = join(stage.folder, 'replay.key');
    writeFileSync(keyFile, randomBytes(32).toString('base64'), { mode: 0o600 });
    const { stderr, exitCode } = await stage.reenact(['replay', spanIdOf('Ask'), '--url', url], {
      REENACT_REPLAY_KEY_FILE: keyFile,
      REENACT_REPLAY_SERVICE: stage.grpcUrl,
    });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(told);
  });
});

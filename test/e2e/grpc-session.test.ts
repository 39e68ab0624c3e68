import { Client, type ClientDuplexStream, credentials, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runsOf } from '../scenarios/runs-of.ts';
import type { Stage } from '../scenarios/stage.ts';
import { replayAsJson, setSmallStage } from './small-stage.ts';

interface Words {
  readonly words: string;
}

const serialize = (value: Words): Buffer => Buffer.from(JSON.stringify(value));
const deserialize = (bytes: Buffer): Words => JSON.parse(bytes.toString()) as Words;
const script = 'grpc-session.ts';
let stage: Stage;
const runs = new Map<string, string>();

/** The answer never comes: there is a limit to how long it waits. */
function askInVain(client: Client): Promise<number | undefined> {
  return new Promise((resolve) => {
    const deadline = Date.now() + 1_000;
    client.makeUnaryRequest(
      '/e2e.Session/Ask',
      serialize,
      deserialize,
      { words: 'what' },
      { deadline },
      (error: ServiceError | null) => resolve(error?.code),
    );
  });
}

/** Says each thing once the one before is answered, one of them while the agent is at work. */
async function talk(client: Client, end: (call: ClientDuplexStream<Words, Words>) => void): Promise<string[]> {
  const call = client.makeBidiStreamRequest('/e2e.Session/Talk', serialize, deserialize);
  const heard: string[] = [];
  call.write({ words: 'one' });
  call.write({ words: 'and' });
  return new Promise((resolve) => {
    call.on('error', () => undefined);
    call.on('close', () => resolve(heard));
    call.on('end', () => resolve(heard));
    call.on('data', ({ words }: Words) => {
      heard.push(words);
      if (heard.length === 2) call.write({ words: 'two' });
      if (heard.length === 3) call.write({ words: 'three' });
      if (heard.length === 4) end(call);
    });
  });
}

/** The run that began since the ones that are known, once it is whole. */
async function newRun(name: string): Promise<void> {
  const known = new Set(runs.values());
  const look = async (): Promise<string> => {
    const run = (await runsOf(stage, { tool: 'save' })).find(({ rootSpanId }) => !known.has(rootSpanId));
    expect(run).toMatchObject({ replayability: { verdict: 'full' } });
    return run?.rootSpanId ?? '';
  };
  runs.set(name, await vi.waitFor(look, { timeout: 90_000, interval: 200 }));
}

beforeAll(async () => {
  stage = await setSmallStage();
  const service = await stage.start(['--import', 'reenact/register', script]);
  const { port } = JSON.parse(service.firstLine) as { port: number };
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const answers = ['busy, not: and', /^one \(/, /^two \(/, /^three \(/].map((text) => expect.stringMatching(text));
  expect(await talk(client, (call) => call.end())).toEqual(answers);
  await newRun('an end');
  expect(await talk(client, (call) => call.cancel())).toEqual(answers);
  await newRun('a cancellation');
  // Last, when the service has done all of this before: its first call takes it longest.
  expect(await askInVain(client)).toBe(4);
  await newRun('a deadline');
  client.close();
  await service.stop();
});

afterAll(() => stage.stop());

describe('a gRPC session', () => {
  it.each(['a deadline', 'an end', 'a cancellation'])('comes to %s at the same place in a replay', async (name) => {
    const { report } = await replayAsJson(stage, runs.get(name) ?? '', script);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect(report.counts.rerun).toBe(1);
    expect(report.counts.stubbed).toBeGreaterThan(3);
    expect(JSON.stringify(report)).not.toContain('was not answered');
  });

  it('comes to it after the recorded delays, too', async () => {
    const flags = ['--pace', 'recorded'];
    const { report } = await replayAsJson(stage, runs.get('a cancellation') ?? '', script, { flags });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
  });
});

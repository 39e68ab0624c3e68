import { createOpenAI } from '@ai-sdk/openai';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { instrumentModel } from '@reenact/instrumentation-ai-sdk';
import { type ReplayResult, type ReplaySettings, replay } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import { generateText } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { agent } from 'reenact';
import { beforeAll, describe, expect, it } from 'vitest';
import { recordAt } from '../../serve/recorded-agent.ts';
import { chatAnswer, json } from '../plan/answers.ts';

type Headers = Record<string, string>;

interface Asked {
  readonly call?: Headers;
  readonly provider?: Headers;
}

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finishReason = { unified: 'stop', raw: 'stop' };

/** A provider that sends nothing by the global `fetch`. */
const local = (): object =>
  new MockLanguageModelV4({
    provider: 'local.chat',
    doGenerate: { content: [{ type: 'text', text: 'Five.' }], usage, finishReason, warnings: [] } as never,
  });

function remote(baseURL: string, headers: Headers = {}): object {
  return createOpenAI({ apiKey: 'sk-secret', organization: 'org-1', baseURL, headers }).chat('gpt-5-mini');
}

async function ask(model: object, headers: Headers = {}): Promise<string> {
  const given = { model: instrumentModel(model) as MockLanguageModelV4, prompt: 'Sell.', headers, maxRetries: 0 };
  return (await generateText(given)).text;
}

async function replayed(
  recording: Recording,
  act: () => Promise<unknown>,
  settings: Omit<ReplaySettings, 'recording'> = {},
): Promise<ReplayResult<unknown>> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  try {
    return await replay({ ...settings, recording, run: () => agent('asker', act)() });
  } finally {
    context.disable();
  }
}

function placesOf({ divergences }: ReplayResult<unknown>): unknown[] {
  return divergences.map(({ kind, path, difference = [] }) => [kind, path, ...difference.map((entry) => entry.path)]);
}

const nowhere = 'http://127.0.0.1:9/v1';

describe('headers of a call over a provider that sends requests', () => {
  const path = 'agent:asker/model:openai.chat';
  const call = { 'x-tenant': 'one' };
  let recording: Recording;

  beforeAll(async () => {
    recording = await recordAt(json(chatAnswer('Five.')), (baseUrl) => ask(remote(baseUrl, { 'x-desk': 'a' }), call));
  });

  const run = (
    { call: asked = call, provider = { 'x-desk': 'a' } }: Asked,
    settings?: Omit<ReplaySettings, 'recording'>,
  ) => replayed(recording, () => ask(remote(nowhere, provider), asked), settings);

  it('are reproduced where they are the same, whoever asks', async () => {
    const again = { call: { 'X-Tenant': 'one', authorization: 'Bearer other', 'x-request-id': '9' } };
    for (const asked of [{}, again]) {
      expect(await run(asked)).toMatchObject({ verdict: 'reproduced', divergences: [] });
    }
  });

  it.each<[string, Asked, string]>([
    ['the call has another', { call: { 'x-tenant': 'two' } }, '$.headers["x-tenant"]'],
    ['the call has none', { call: {} }, '$.headers["x-tenant"]'],
    ['the provider has another', { provider: { 'x-desk': 'b' } }, 'headers["x-desk"]'],
    ['the provider has none', { provider: {} }, 'headers["x-desk"]'],
  ])('are reported once where %s', async (_name, asked, at) => {
    const report = await run(asked);
    expect(placesOf(report)).toEqual([['input-changed', path, at]]);
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1, counts: { stubbed: 1 } });
  });

  it('are ignored in the request, too, where the plan ignores them in the input', async () => {
    const ignore = [{ selector: 'model:*', path: '$.headers["x-tenant"]', why: 'another every day' }];
    expect(await run({ call: { 'x-tenant': 'two' } }, { ignore })).toMatchObject({ divergences: [] });
  });

  it('of a recording of before are compared by what was sent', async () => {
    const crossings = recording.crossings.map((crossing) => {
      const data = crossing.input?.data?.replace(/,"headers":\{[^}]*\}/, '');
      if (crossing.kind !== 'model' || crossing.input === undefined || data === undefined) return crossing;
      return { ...crossing, canonicalPolicy: 'arguments/1', input: { ...crossing.input, data } };
    });
    const bySpanId = new Map(crossings.map((crossing) => [crossing.spanId, crossing]));
    const older = { ...recording, crossings, bySpanId };
    const act = (asked: Headers) => () => ask(remote(nowhere, { 'x-desk': 'a' }), asked);
    expect(await replayed(older, act(call))).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(placesOf(await replayed(older, act({ 'x-tenant': 'two' })))).toEqual([
      ['input-changed', path, 'headers["x-tenant"]'],
    ]);
  });
});

describe('headers of a call over a provider that sends none', () => {
  it('are part of its input', async () => {
    const recording = await recordAt(json({}), () => ask(local(), { 'x-tenant': 'one' }));
    const run = (headers: Headers) => replayed(recording, () => ask(local(), headers));
    expect(await run({ 'x-tenant': 'one' })).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(placesOf(await run({ 'x-tenant': 'two' }))).toEqual([
      ['input-changed', 'agent:asker/model:local.chat', '$.headers["x-tenant"]'],
    ]);
  });
});

import type Anthropic from '@anthropic-ai/sdk';
import type { ClientOptions } from '@anthropic-ai/sdk';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { instrumentAnthropic } from '@reenact/instrumentation-anthropic';
import { type ReplayResult, replay } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import { agent } from 'reenact';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AnthropicAct,
  anthropicClientOf,
  anthropicRequest,
  recordAnthropic,
  saying,
  textBlock,
} from '../../serve/anthropic-agent.ts';

const settings: ClientOptions = { defaultHeaders: { 'x-tenant': 'one' } };
const path = 'agent:asker/model:anthropic.messages';
type BetaRequest = Anthropic.Beta.MessageCreateParamsNonStreaming;
const asked: BetaRequest = { ...anthropicRequest, messages: [{ role: 'user', content: 'Sell $1,000 worth.' }] };

function asking(betas: string[], headers: Record<string, string> = {}): AnthropicAct {
  return async (client) => await client.beta.messages.create({ ...asked, betas }, { headers });
}

let recording: Recording;

beforeAll(async () => {
  recording = await recordAnthropic(saying([textBlock('I sell 5.')]), asking(['files-api-2025-04-14']), settings);
});

async function replayed(act: AnthropicAct, options: ClientOptions = settings): Promise<ReplayResult<unknown>> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const client = instrumentAnthropic(anthropicClientOf('http://127.0.0.1:9', options));
  try {
    return await replay({ recording, run: () => agent('asker', () => act(client))() });
  } finally {
    context.disable();
  }
}

const same = asking(['files-api-2025-04-14']);
const otherwise: AnthropicAct = async (client) => await client.messages.create(anthropicRequest);

const rows: readonly [name: string, act: AnthropicAct, client: ClientOptions, at: readonly string[]][] = [
  ['another beta', asking(['context-1m-2025-08-07']), settings, ['headers["anthropic-beta"]']],
  ['one beta more', asking(['files-api-2025-04-14', 'new']), settings, ['headers["anthropic-beta"]']],
  ['another tenant', same, { defaultHeaders: { 'x-tenant': 'two' } }, ['headers["x-tenant"]']],
  [
    'another version of the API',
    asking(['files-api-2025-04-14'], { 'anthropic-version': '2023-06-01' }),
    settings,
    ['headers["anthropic-version"]'],
  ],
  ['no beta at all', otherwise, settings, ['headers["anthropic-beta"]']],
];

describe('a request of the Anthropic client', () => {
  it.each(rows)('with %s: reported with kind and path, and served', async (_name, act, client, at) => {
    const report = await replayed(act, client);
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1, counts: { stubbed: 1 } });
    const [first, ...others] = report.divergences;
    expect(others).toEqual([]);
    expect(first).toMatchObject({ kind: 'input-changed', path });
    expect(first?.difference?.map((entry) => entry.path)).toEqual(at);
  });

  it('is reproduced with nothing to say against it where it is the same, from whatever sends it', async () => {
    const elsewhere = { ...settings, apiKey: 'other', dangerouslyAllowBrowser: true, timeout: 1_000 };
    for (const client of [settings, elsewhere]) {
      expect(await replayed(same, client)).toMatchObject({ verdict: 'reproduced', divergences: [] });
    }
  });
});

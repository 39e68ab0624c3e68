import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { instrumentAnthropic } from '@reenact/instrumentation-anthropic';
import { type ReplayResult, replay } from '@reenact/replay';
import type { DivergenceKind, Recording } from '@reenact/trace-model';
import { agent } from 'reenact';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  anthropicClientOf,
  anthropicRequest,
  recordAnthropic,
  saying,
  textBlock,
} from '../../serve/anthropic-agent.ts';

const tools = ['get_quote', 'place_order'].map((name) => ({
  name,
  description: `Does ${name}.`,
  input_schema: { type: 'object' as const, properties: { symbol: { type: 'string' } } },
}));
const [quoteTool, orderTool] = tools;
const request = {
  ...anthropicRequest,
  temperature: 0,
  tools,
  metadata: { user_id: 'u-1' },
  service_tier: 'auto' as const,
};

function ask(client: ReturnType<typeof anthropicClientOf>, change: object): Promise<unknown> {
  return client.messages.create({ ...request, ...change });
}

let recording: Recording;

beforeAll(async () => {
  recording = await recordAnthropic(saying([textBlock('I sell 5.')]), (client) => ask(client, {}));
});

async function replayed(change: object, recorded = recording): Promise<ReplayResult<unknown>> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const client = instrumentAnthropic(anthropicClientOf('http://127.0.0.1:9'));
  try {
    return await replay({ recording: recorded, run: () => agent('asker', () => ask(client, change))() });
  } finally {
    context.disable();
  }
}

/** The same recording as one that was made before parameters beside the listed ones were compared. */
function olderRecording(): Recording {
  const crossings = recording.crossings.map((crossing) =>
    crossing.kind === 'model' ? { ...crossing, canonicalPolicy: 'messages-request/1' } : crossing,
  );
  return { ...recording, crossings, bySpanId: new Map(crossings.map((crossing) => [crossing.spanId, crossing])) };
}

const rows: readonly [name: string, change: object, kind: DivergenceKind, at: string][] = [
  ['another model', { model: 'claude-opus-5' }, 'input-changed', '$.model'],
  ['another prompt', { messages: [{ role: 'user', content: 'Buy.' }] }, 'input-changed', '$.messages[0].content'],
  ['instructions', { system: 'Be brief.' }, 'input-changed', '$.system'],
  ['another temperature', { temperature: 1 }, 'input-changed', '$.temperature'],
  ['no temperature', { temperature: undefined }, 'input-changed', '$.temperature'],
  ['fewer tokens', { max_tokens: 1 }, 'input-changed', '$.max_tokens'],
  ['thinking', { thinking: { type: 'enabled', budget_tokens: 1024 } }, 'input-changed', '$.thinking'],
  ['a stop sequence', { stop_sequences: ['.'] }, 'input-changed', '$.stop_sequences'],
  ['a choice of tool', { tool_choice: { type: 'any' } }, 'input-changed', '$.tool_choice'],
  ['another region', { inference_geo: 'us' }, 'input-changed', '$.inference_geo'],
  ['a parameter that nobody knows yet', { imagination: { level: 'high' } }, 'input-changed', '$.imagination'],
  ['a tool less', { tools: [quoteTool] }, 'schema-changed', '$.tools.place_order'],
  [
    'a tool that is described differently',
    { tools: [quoteTool, { ...orderTool, description: 'Buys.' }] },
    'schema-changed',
    '$.tools.place_order.description',
  ],
];

describe('a mutated request to Anthropic', () => {
  it.each(rows)('%s: reported with kind and path', async (_name, change, kind, at) => {
    const report = await replayed(change);
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1 });
    const [first, ...others] = report.divergences;
    expect(others).toEqual([]);
    expect(first).toMatchObject({ kind, path: 'agent:asker/model:anthropic.messages' });
    expect(first?.difference?.map((entry) => entry.path)).toEqual([at]);
  });

  it('is not reported where only what is declared volatile differs, or nothing does', async () => {
    const volatile = {
      metadata: { user_id: 'u-2' },
      service_tier: 'standard_only',
      cache_control: { type: 'ephemeral' },
    };
    for (const change of [{}, volatile]) {
      const report = await replayed(change);
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    }
  });
});

describe('a recording of before', () => {
  it('is compared by the list it was made for', async () => {
    const older = olderRecording();
    expect(await replayed({}, older)).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
    expect(await replayed({ imagination: 'high' }, older)).toMatchObject({ divergences: [] });
    const report = await replayed({ temperature: 1 }, older);
    expect(report.divergences[0]?.difference?.[0]?.path).toBe('$.temperature');
  });
});

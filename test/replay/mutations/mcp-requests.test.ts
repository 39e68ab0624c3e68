import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { instrumentMcpClient } from '@reenact/instrumentation-mcp';
import { type ReplayResult, type ReplaySettings, replay } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import fc from 'fast-check';
import { agent } from 'reenact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRun } from '../recorded-run.ts';

type Meta = Record<string, unknown>;

interface Asked {
  readonly meta?: Meta | undefined;
  readonly shares?: number;
}

const path = 'agent:asker/mcp:shop/order';
let ordered = 0;

/** A server of its own for each client, which counts what really reaches it. */
async function connected(): Promise<Client> {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  server.registerTool('order', {}, async () => {
    ordered += 1;
    return { content: [{ type: 'text', text: 'ordered' }] };
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = instrumentMcpClient(new Client({ name: 'buyer', version: '1.0.0' }));
  await client.connect(near);
  return client;
}

const asker = agent('asker', async ({ meta, shares = 5 }: Asked) => {
  const client = await connected();
  const called = await client.callTool({
    name: 'order',
    arguments: { shares },
    ...(meta === undefined ? {} : { _meta: meta }),
  });
  await client.close();
  return called.content;
});

function record(asked: Asked): Promise<Recording> {
  return recordRun(() => asker(asked));
}

/** Replays with the recorded argument of the run, so that nothing but the message differs. */
async function replayed(
  recording: Recording,
  asked: Asked,
  settings: Omit<ReplaySettings, 'recording'> = {},
): Promise<ReplayResult<unknown>> {
  const before = ordered;
  const ignore = [
    { selector: 'agent:asker', path: '$[0].meta', why: 'what the test changes' },
    ...(settings.ignore ?? []),
  ];
  const report = await replay({ ...settings, ignore, recording, run: () => asker(asked) });
  expect(ordered).toBe(before);
  return report;
}

function placesOf({ divergences }: ReplayResult<unknown>): unknown[] {
  return divergences.map(({ kind, path: at, difference = [] }) => [kind, at, ...difference.map((entry) => entry.path)]);
}

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => context.disable());

describe('what a caller says in _meta', () => {
  const tenant = { 'acme/tenant': 'one', nested: { deep: 1 } };

  it('is reproduced where it is the same, whatever belongs to one sending', async () => {
    const recording = await record({ meta: tenant });
    const again = { ...tenant, traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`, baggage: 'a=b' };
    for (const meta of [tenant, { ...again, progressToken: 7, tracestate: 'a=1' }]) {
      expect(await replayed(recording, { meta })).toMatchObject({ verdict: 'reproduced', divergences: [] });
    }
  });

  it.each<[string, Meta | undefined, string]>([
    ['another tenant', { ...tenant, 'acme/tenant': 'two' }, '$._meta["acme/tenant"]'],
    ['a value far down', { ...tenant, nested: { deep: 2 } }, '$._meta.nested.deep'],
    ['a member less', { 'acme/tenant': 'one' }, '$._meta.nested'],
    ['a member more', { ...tenant, dryRun: true }, '$._meta.dryRun'],
    ['none at all', undefined, '$._meta'],
  ])('with %s: reported with kind and path', async (_name, meta, at) => {
    const report = await replayed(await record({ meta: tenant }), { meta });
    expect(placesOf(report)).toEqual([['input-changed', path, at]]);
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1 });
  });

  it('is taken out by an ignore rule', async () => {
    const recording = await record({ meta: tenant });
    const ignore = [{ selector: 'mcp:shop/order', path: '$._meta["acme/tenant"]', why: 'told apart by the server' }];
    const report = await replayed(recording, { meta: { ...tenant, 'acme/tenant': 'two' } }, { ignore });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], ignored: [{}, { met: 1, differed: 1 }] });
  });

  it('is reported wherever any value of it is another', async () => {
    const recording = await record({ meta: { tenant: 'one' } });
    const values = fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== 'one' && !Object.is(value, -0));
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const report = await replayed(recording, { meta: { tenant: value } });
        expect(report.divergences).toMatchObject([{ kind: 'input-changed', path }]);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a recording of before', () => {
  it('is compared without _meta, as it was made', async () => {
    const recording = await record({});
    const crossings = recording.crossings.map((crossing) => ({ ...crossing, canonicalPolicy: 'arguments/1' }));
    const bySpanId = new Map(crossings.map((crossing) => [crossing.spanId, crossing]));
    const older = { ...recording, crossings, bySpanId };
    const meta = { tenant: 'one' };
    expect(await replayed(older, { meta })).toMatchObject({ verdict: 'reproduced', divergences: [] });
    const ignore = [{ selector: 'agent:asker', path: '$[0].shares', why: 'what the test changes' }];
    const report = await replayed(older, { meta, shares: 6 }, { ignore });
    expect(placesOf(report)).toEqual([['input-changed', path, '$.params.arguments.shares']]);
    expect(placesOf(await replayed(recording, { meta }))).toEqual([['input-changed', path, '$._meta']]);
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CreateMessageRequestSchema,
  CreateMessageResultSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { instrumentMcpClient } from '@reenact/instrumentation-mcp';
import { type ReplayResult, type ReplaySettings, replay } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import { agent, tool } from 'reenact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRun } from './recorded-run.ts';

/** How the host handles what the server says. A replay changes some of it. */
interface Host {
  readonly shares: number;
  readonly hearsProgress: boolean;
  readonly thinksOf: (text: string) => string | undefined;
  readonly asks: string;
}

const unchanged: Host = { shares: 7, hearsProgress: true, thinksOf: (text) => text, asks: 'How many?' };
const consulted = 'agent:buyer/mcp:shop/consult';
let host = unchanged;
let consultations = 0;
let log: unknown[] = [];

function shopServer(): McpServer {
  const server = new McpServer({ name: 'shop', version: '1.0.0' }, { capabilities: { logging: {} } });
  server.registerTool('consult', {}, async ({ _meta, sendNotification, sendRequest }) => {
    consultations += 1;
    const { progressToken = 'none' } = _meta ?? {};
    await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    await sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'asking' } });
    await delay(5);
    const requestedSchema = { type: 'object', properties: { shares: { type: 'integer' } } } as const;
    const asked = { method: 'elicitation/create', params: { message: host.asks, requestedSchema } } as const;
    const { content } = await sendRequest(asked, ElicitResultSchema);
    await delay(5);
    const text = `Is ${JSON.stringify(content)} wise?`;
    const params = { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }], maxTokens: 10 };
    const said = await sendRequest({ method: 'sampling/createMessage', params }, CreateMessageResultSchema);
    return { content: [{ type: 'text', text: JSON.stringify([content, said.content]) }] };
  });
  return server;
}

const think = tool('think', async (text: string) => {
  await delay(3);
  return `thought about ${text}`;
});

async function thoughtAbout(text: string): Promise<string> {
  const about = host.thinksOf(text);
  return about === undefined ? 'nothing' : think(about);
}

function listening(): Client {
  const capabilities = { elicitation: {}, sampling: {} };
  const client = instrumentMcpClient(new Client({ name: 'buyer', version: '1.0.0' }, { capabilities }));
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    log.push(params.message);
    await new Promise((resolve) => setImmediate(resolve));
    return { action: 'accept', content: { shares: host.shares } };
  });
  client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => {
    const text = await thoughtAbout(JSON.stringify(params.messages));
    log.push(text);
    return { model: 'mine', role: 'assistant', content: { type: 'text', text } };
  });
  client.setNotificationHandler(LoggingMessageNotificationSchema, async ({ params }) => {
    log.push(await thoughtAbout(String(params.data)));
  });
  return client;
}

const buyer = agent('buyer', async () => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await shopServer().connect(far);
  const client = listening();
  await client.connect(near);
  const options = host.hearsProgress ? { onprogress: (progress: unknown) => log.push(progress) } : {};
  const { content } = await client.callTool({ name: 'consult', arguments: {} }, undefined, options);
  await client.close();
  return content;
});

async function during<Result>(changed: Partial<Host>, act: () => Promise<Result>): Promise<Result> {
  host = { ...unchanged, ...changed };
  log = [];
  try {
    return await act();
  } finally {
    host = unchanged;
  }
}

function replayed(
  recording: Recording,
  changed: Partial<Host>,
  settings: Omit<ReplaySettings, 'recording'> = {},
): Promise<ReplayResult<unknown>> {
  return during(changed, () => replay({ ...settings, recording, run: () => buyer() }));
}

function placesOf({ divergences }: ReplayResult<unknown>): unknown[] {
  return divergences.map(({ kind, path }) => [kind, path]);
}

let recording: Recording;
let recordedLog: unknown[];
beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  recording = await during({}, () => recordRun(() => buyer()));
  recordedLog = log;
});

afterAll(() => context.disable());

describe('what a server of MCP said while it was asked', () => {
  it('is said again in the recorded order, and nobody asks the server', async () => {
    const before = consultations;
    const report = await replayed(recording, {});
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], exitCode: 0 });
    expect([log, consultations, recording.replayability.verdict]).toEqual([recordedLog, before, 'full']);
    expect(recordedLog).toEqual([
      { progress: 1 },
      'thought about asking',
      'How many?',
      expect.stringContaining('wise?'),
    ]);
  });

  it.each<[string, Partial<Host>, unknown[]]>([
    ['answers otherwise', { shares: 8 }, [['output-changed', `${consulted}/mcp:shop/elicitation/create`]]],
    ['no longer listens', { hearsProgress: false }, [['unconsumed', `${consulted}/mcp:shop/notifications/progress`]]],
    [
      'calls otherwise on the way',
      { thinksOf: (text) => (text === 'asking' ? 'something else' : text) },
      [['input-changed', `${consulted}/mcp:shop/notifications/message/tool:think`]],
    ],
    [
      'calls nothing on the way',
      { thinksOf: (text) => (text === 'asking' ? undefined : text) },
      [['unconsumed', `${consulted}/mcp:shop/notifications/message/tool:think`]],
    ],
  ])('is told where the host %s', async (_, changed, places) => {
    const report = await replayed(recording, changed);
    expect(placesOf(report)).toEqual(places);
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1 });
  });

  it('is answered as it was where a plan says so, and the host is not asked', async () => {
    const report = await replayed(recording, { shares: 8 }, { stub: ['mcp:shop/elicitation/create'] });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(log).not.toContain('How many?');
  });

  it('lets a plan change what the host is told on the way', async () => {
    const report = await replayed(recording, {}, { edit: [{ selector: 'tool:think', at: '$', value: 'no' }] });
    const place = `${consulted}/mcp:shop/sampling/createMessage`;
    expect([log.includes('no'), placesOf(report)]).toEqual([true, [['output-changed', place]]]);
    expect(report.divergences).toMatchObject([{ causedBy: { divergence: 'e1' } }]);
  });

  it('is found again where the request runs live, and a new question of the server is refused', async () => {
    const live = ['mcp:custom/initialize', 'mcp:shop/consult'];
    const again = await replayed(recording, {}, { live });
    expect(placesOf(again)).toEqual([]);
    const other = await replayed(recording, { asks: 'How much?' }, { live });
    expect(placesOf(other)).toEqual([['input-changed', `${consulted}/mcp:shop/elicitation/create`]]);
  });
});

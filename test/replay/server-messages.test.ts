import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
  ResourceUpdatedNotificationSchema,
  SubscribeRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { instrumentMcpClient } from '@reenact/instrumentation-mcp';
import { type ReplayResult, replay } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import { agent, tool } from 'reenact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRun } from './recorded-run.ts';

let log: string[] = [];
let notes = 0;
let isListening = true;

const note = tool('note', async (text: string) => {
  notes += 1;
  await delay(2);
  return `noted ${text}`;
});

/** A server in the process of its client. What it says by itself, its own code says in a replay, too. */
function desk(): Server {
  const server = new Server({ name: 'desk', version: '1.0.0' }, { capabilities: { resources: {}, tools: {} } });
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendRequest }) => {
    // Version 1 of the SDK does not take its first request back.
    if (params.name === 'ask later') await server.ping();
    const requestedSchema = { type: 'object', properties: {} } as const;
    const asked = { method: 'elicitation/create', params: { message: 'Sell?', requestedSchema } } as const;
    const answer = sendRequest(asked, ElicitResultSchema, { timeout: 5 });
    const text = await answer.then(
      ({ action }) => action,
      () => 'nobody answered',
    );
    return { content: [{ type: 'text', text }] };
  });
  return server;
}

function connected(server: Server): Promise<Client> {
  const client = instrumentMcpClient(
    new Client({ name: 'buyer', version: '1.0.0' }, { capabilities: { elicitation: {} } }),
  );
  client.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
    log.push(await note('tools'));
  });
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, async ({ params }) => {
    if (isListening) log.push(await note(params.uri));
  });
  client.setRequestHandler(ElicitRequestSchema, async (_, { signal }) => {
    const takenBack = new Promise((resolve) => signal.addEventListener('abort', () => resolve('taken back')));
    log.push(await note(String(await Promise.race([takenBack, delay(100, 'thought over')]))));
    return { action: 'accept', content: {} };
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  return server
    .connect(far)
    .then(() => client.connect(near))
    .then(() => client);
}

/** Until so much stands in the log. */
async function logged(length: number): Promise<void> {
  while (log.length < length) await delay(1);
}

const watcher = agent('watcher', async () => {
  const server = desk();
  const client = await connected(server);
  await server.sendToolListChanged();
  await logged(1);
  await client.subscribeResource({ uri: 'desk://orders' });
  await readFile(import.meta.filename);
  await server.sendResourceUpdated({ uri: 'desk://orders' });
  await logged(2);
  log.push(await note('between'));
  await server.sendResourceUpdated({ uri: 'desk://orders/7' });
  await logged(4);
  await client.close();
  return [...log];
});

const asker = agent('asker', async (name: string) => {
  const client = await connected(desk());
  const { content } = await client.callTool({ name, arguments: {} });
  await logged(1);
  await client.close();
  return [content, ...log];
});

function replayed(recording: Recording, run: () => Promise<unknown>): Promise<ReplayResult<unknown>> {
  log = [];
  return replay({ recording, run });
}

async function recorded(run: () => Promise<unknown>): Promise<readonly [Recording, readonly string[]]> {
  log = [];
  const recording = await recordRun(run);
  return [recording, log];
}

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => context.disable());

describe('what a server of MCP says by itself to the only run that asks it', () => {
  it('is said again after the request that was the last, once, also where the server is in this process', async () => {
    const [recording, recordedLog] = await recorded(watcher);
    expect(recordedLog).toEqual(['noted tools', 'noted desk://orders', 'noted between', 'noted desk://orders/7']);
    const connect = 'agent:watcher/mcp:custom/initialize';
    const subscribed = 'agent:watcher/mcp:desk/resources/subscribe';
    const updated = 'mcp:desk/notifications/resources/updated';
    expect([recording.replayability.verdict, recording.crossings.map(({ path }) => path).toSorted()]).toEqual([
      'full',
      [
        'agent:watcher',
        connect,
        `${connect}/mcp:desk/notifications/tools/list_changed`,
        `${connect}/mcp:desk/notifications/tools/list_changed/tool:note`,
        subscribed,
        `${subscribed}/${updated}`,
        `${subscribed}/${updated}#2`,
        `${subscribed}/${updated}#2/tool:note`,
        `${subscribed}/${updated}/tool:note`,
        'agent:watcher/tool:note',
      ],
    ]);
    const before = notes;
    for (let round = 0; round < 5; round += 1) {
      const report = await replayed(recording, watcher);
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
      expect([log, notes]).toEqual([recordedLog, before]);
    }
  });

  it('is missed where the host no longer does what it did about it', async () => {
    const [recording] = await recorded(watcher);
    isListening = false;
    const late = delay(500, 'nothing came').then(() => log.push('a', 'b', 'c', 'd'));
    const report = await replayed(recording, watcher).finally(() => {
      isListening = true;
    });
    await late;
    const updated = 'agent:watcher/mcp:desk/resources/subscribe/mcp:desk/notifications/resources/updated';
    expect(report.divergences.map(({ kind, path }) => [kind, path])).toContainEqual([
      'unconsumed',
      `${updated}/tool:note`,
    ]);
  });
});

describe('what a server of MCP takes back', () => {
  it.each([
    ['ask later', ['noted taken back']],
    ['ask first', ['noted thought over']],
  ])('is taken back again in a replay as the SDK does it: %s', async (name, heard) => {
    const act = (): Promise<unknown> => asker(name);
    const [recording, recordedLog] = await recorded(act);
    expect([recording.replayability.verdict, recordedLog]).toEqual(['full', heard]);
    for (let round = 0; round < 5; round += 1) {
      const report = await replayed(recording, act);
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
      expect(log).toEqual(recordedLog);
    }
  });
});

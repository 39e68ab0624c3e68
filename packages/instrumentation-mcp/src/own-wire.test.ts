import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { agent, gate, installConnectionWatch } from '@reenact/instrumentation';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { instrumentMcpClient } from './index.ts';
import { RunningShop } from './testdata/running-shop.ts';

let shop: RunningShop;
let calls: RecordedCalls;
let unwatch: () => void;
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  unwatch = installConnectionWatch();
});
afterAll(() => {
  unwatch();
  context.disable();
});
beforeEach(() => {
  shop = new RunningShop();
  calls = new RecordedCalls();
  calls.attach();
});
afterEach(async () => {
  gate.detach(calls);
  await shop.stop();
});

/** A client whose server is a process that was started before any run. */
async function connected(): Promise<Client> {
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const client = instrumentMcpClient(new Client({ name: 'buyer', version: '1.0.0' }, { capabilities }));
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { shares: 7 } }));
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: 'mine',
    role: 'assistant',
    content: { type: 'text', text: 'wise' },
  }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }));
  await client.connect(new StdioClientTransport(shop.command));
  return client;
}

const marksOf = (name: string): string | undefined =>
  calls.facts.find(({ boundary }) => boundary.name === name)?.lossy.join();

it('marks no run that answers a server which was started before it, or calls a request off: a replay sends neither', async () => {
  const client = await connected();
  await agent('answering', () => client.callTool({ name: 'consult', arguments: {} }))();
  await agent('calling off', async () => {
    const caller = new AbortController();
    const asked = client.callTool({ name: 'consult', arguments: {} }, undefined, { signal: caller.signal });
    caller.abort();
    await asked.catch(() => undefined);
  })();
  await client.close();
  expect([marksOf('answering'), marksOf('calling off')]).toEqual(['', '']);
});

it('marks a run that writes to such a server past the client', async () => {
  const transport = new StdioClientTransport(shop.command);
  const client = instrumentMcpClient(new Client({ name: 'buyer', version: '1.0.0' }));
  await client.connect(transport);
  const { stdin } = Reflect.get(transport, '_process');
  await agent('writing', async () => {
    if (!stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')) await once(stdin, 'drain');
  })();
  await client.close();
  expect(marksOf('writing')).toContain('messages to serve-shop.ts');
});

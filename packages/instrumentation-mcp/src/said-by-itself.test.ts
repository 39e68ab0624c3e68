import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListRootsRequestSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { agent, gate, installConnectionWatch } from '@reenact/instrumentation';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { instrumentMcpClient } from './index.ts';

let server: Server;
let client: Client;
let heard: PromiseWithResolvers<void>;
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
beforeEach(async () => {
  calls = new RecordedCalls();
  calls.attach();
  const [near, far] = InMemoryTransport.createLinkedPair();
  server = new Server({ name: 'desk', version: '1.0.0' }, { capabilities: { logging: {} } });
  await server.connect(far);
  client = instrumentMcpClient(new Client({ name: 'buyer', version: '1.0.0' }, { capabilities: { roots: {} } }));
  heard = Promise.withResolvers();
  client.setNotificationHandler(LoggingMessageNotificationSchema, () => heard.resolve());
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }));
  await client.connect(near);
});
afterEach(async () => {
  await client.close();
  gate.detach(calls);
});

const say = async (): Promise<void> => {
  await server.sendLoggingMessage({ level: 'info', data: 'opened' });
  await heard.promise;
};
const marksOf = (name: string): string | undefined =>
  calls.facts.find(({ boundary }) => boundary.name === name)?.lossy.join();

it('what a server says by itself marks none for what no handler of the host hears, nor for a question whose answer changes nothing in the run', async () => {
  client.removeNotificationHandler('notifications/message');
  await agent('asking', async () => {
    await client.ping();
    await server.sendLoggingMessage({ level: 'info', data: 'opened' });
    await server.ping();
    await server.listRoots();
  })();
  expect(marksOf('asking')).toBe('');
});

it('what a server says by itself, after several runs have asked it, while no request is under way marks every run that goes on, and each that begins behind it', async () => {
  const bystander = Promise.withResolvers<void>();
  const standing = agent('standing by', () => bystander.promise)();
  await agent('over', () => client.ping())();
  await agent('asking', async () => {
    await client.ping();
    await say();
  })();
  bystander.resolve();
  await standing;
  await agent('behind', () => client.ping())();
  const said = 'what the MCP server desk says by itself (notifications/message)';
  expect(['over', 'asking', 'standing by', 'behind'].map(marksOf)).toEqual([
    '',
    `/connections/${said}`,
    `/connections/beside the run: ${said}`,
    `/connections/before the run: ${said}`,
  ]);
});

it('what a server says by itself to the only run that has asked it is recorded there, and marks the others', async () => {
  const bystander = Promise.withResolvers<void>();
  const standing = agent('standing by', () => bystander.promise)();
  await agent('asking', async () => {
    await client.ping();
    await say();
  })();
  bystander.resolve();
  await standing;
  await agent('behind', () => client.ping())();
  const said = 'what the MCP server desk says to another run (notifications/message)';
  // What earlier tests heard stands before all of them.
  const own = (name: string): string | undefined =>
    marksOf(name)
      ?.split(',')
      .filter((mark) => mark.includes(said))
      .join();
  expect(['asking', 'standing by', 'behind', 'desk/notifications/message'].map(own)).toEqual([
    '',
    `/connections/beside the run: ${said}`,
    `/connections/before the run: ${said}`,
    '',
  ]);
});

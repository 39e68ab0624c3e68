import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { replay } from '@reenact/replay';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { agent, tool } from 'reenact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { recordRun } from './recorded-run.ts';

let instrumentation: HttpInstrumentation;
const folder = new URL('../conformance/receiver/certificates/', import.meta.url);

let baseURL = '';
/** What is asked: no input of the agents, so that what is sent is the first to differ. */
let prompt = '';

/** Both protocols as the provider speaks them: a session, the pieces of an answer, its end. */
function answers(said: { readonly type: string }): object[] {
  const delta = { type: 'response.output_text.delta', item_id: 'item_1', output_index: 0, content_index: 0 };
  if (said.type !== 'response.create') return [];
  const pieces = ['Sell ', 'now'].map((text, index) => ({ ...delta, delta: text, sequence_number: index }));
  const response = { id: 'resp_1', object: 'response', status: 'completed', output: [] };
  return [...pieces, { type: 'response.completed', response }, { type: 'response.done', response }];
}

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  instrumentation = new HttpInstrumentation({ inbound: false });
});

afterAll(() => {
  instrumentation.disable();
  context.disable();
});

async function startServer(): Promise<() => Promise<void>> {
  const [cert, key] = await Promise.all(
    ['server.pem', 'server-key.pem'].map((name) => readFile(new URL(name, folder))),
  );
  const server = createServer({ cert, key });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, { url = '' }) => {
    if (url.includes('/realtime')) socket.send(JSON.stringify({ type: 'session.created', session: {} }));
    socket.on('message', (data) => {
      for (const event of answers(JSON.parse(String(data)))) socket.send(JSON.stringify(event));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseURL = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return async () => {
    for (const socket of sockets.clients) socket.terminate();
    await new Promise((resolve) => server.close(resolve));
  };
}

const trade = tool('trade', async (text: string) => `traded on "${text}"`);

const realtime = agent('realtime', async () => {
  const client = new OpenAI({ apiKey: 'sk-none', baseURL });
  const socket = new OpenAIRealtimeWS({ model: 'gpt-realtime', options: { rejectUnauthorized: false } }, client);
  let said = '';
  socket.on('session.created', () =>
    socket.send({ type: 'response.create', response: { instructions: prompt, output_modalities: ['text'] } }),
  );
  socket.on('response.output_text.delta', ({ delta }) => {
    said += delta;
  });
  return new Promise<string>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('response.done', async () => {
      const traded = await trade(said);
      socket.close();
      resolve(traded);
    });
  });
});

const responses = agent('responses', async () => {
  const client = new OpenAI({ apiKey: 'sk-none', baseURL });
  const socket = new ResponsesWS(client, { rejectUnauthorized: false });
  socket.send({ type: 'response.create', model: 'gpt-5', input: prompt });
  let said = '';
  return new Promise<string>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('response.output_text.delta', ({ delta }) => {
      said += delta;
    });
    socket.on('response.completed', async () => {
      const traded = await trade(said);
      socket.close();
      resolve(traded);
    });
  });
});

describe.each([
  ['the realtime API', realtime, '$.body.json.response.instructions'],
  ['the Responses API over a WebSocket', responses, '$.body.json.input'],
] as const)('%s of openai', (_name, talk, changedPath) => {
  it('is replayed with nobody there, and tells what a changed prompt changed', async () => {
    const stop = await startServer();
    let answer: unknown;
    const recording = await recordRun(async () => {
      prompt = 'What to do?';
      answer = await talk();
    });
    await stop();
    expect([answer, recording.replayability]).toEqual(['traded on "Sell now"', { verdict: 'full', missing: [] }]);
    for (let round = 0; round < 3; round += 1) {
      const same = await replay({ recording, run: () => talk() });
      expect(same).toMatchObject({ verdict: 'reproduced', divergences: [], value: answer });
    }
    prompt = 'Something else?';
    const changed = await replay({ recording, run: () => talk() });
    expect(changed.verdict).toBe('diverged');
    expect(JSON.stringify(changed.divergences[0])).toContain(changedPath);
  });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { type ReplayResult, replay } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import { agent, tool } from 'reenact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket, { type PerMessageDeflateOptions, WebSocketServer } from 'ws';
import { recordRun } from './recorded-run.ts';

let instrumentation: HttpInstrumentation;

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  instrumentation = new HttpInstrumentation({ inbound: false });
});

afterAll(() => {
  instrumentation.disable();
  context.disable();
});

/** How the server of a test talks. */
interface Talk {
  readonly perMessageDeflate?: boolean | PerMessageDeflateOptions;
  readonly ends: 'closed-by-server' | 'closed-by-client' | 'dropped';
}

/** Answers each question in two pieces, text and bytes, between pings; ends as it is told after the second. */
async function startServer({ perMessageDeflate = false, ends }: Talk): Promise<{ url: string; stop(): Promise<void> }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate });
  server.on('connection', (socket) => {
    let asked = 0;
    socket.send(JSON.stringify({ type: 'session.created' }));
    socket.on('error', () => undefined);
    socket.on('message', (data) => {
      asked += 1;
      socket.ping();
      socket.send(JSON.stringify({ type: 'answer', text: `${JSON.parse(String(data)).text}? `.repeat(300) }));
      socket.send(Buffer.from([1, 2, asked]));
      if (asked < 2) return;
      if (ends === 'closed-by-server') socket.close(4001, 'enough');
      if (ends === 'dropped') socket.terminate();
    });
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      for (const client of server.clients) client.terminate();
      server.close(() => resolve());
    });
  return { url: `ws://127.0.0.1:${port}/v1/realtime`, stop };
}

const note = tool('note', async (text: string) => `noted ${text.length}`, { effect: 'write' });

/** What an agent of a test says, and what it saw. */
interface Dialogue {
  readonly url: string;
  readonly says: readonly string[];
  readonly closes: boolean;
}

let log: string[] = [];

let dialogue: Dialogue = { url: '', says: [], closes: false };

const talker = agent('talker', async () => {
  const { url, says, closes } = dialogue;
  const socket = new WebSocket(url, ['realtime'], { headers: { authorization: 'Bearer secret' } });
  const waiting = [...says];
  socket.on('open', () => log.push('open'));
  socket.on('error', (error) => log.push(`error ${error.message}`));
  socket.on('message', async (data: Buffer, isBinary) => {
    log.push(isBinary ? `bytes ${data.toString('hex')}` : `text ${data.toString().slice(0, 40)} ${data.length}`);
    if (!isBinary) {
      log.push(await note(data.toString()));
      return;
    }
    if (waiting.length > 0) ask();
    else if (closes) socket.close(1000, 'done');
  });
  const ask = (): void => socket.send(JSON.stringify({ type: 'ask', text: waiting.shift() }));
  socket.once('message', () => ask());
  return new Promise<string>((resolve) => {
    socket.on('close', (code, reason) => resolve(`${code} ${reason}`));
  });
});

async function logged<Result>(act: () => Promise<Result>): Promise<{ result: Result; log: string[] }> {
  log = [];
  return { result: await act(), log };
}

async function recorded(
  talk: Talk,
  says = ['a', 'b'],
): Promise<{ url: string; recording: Recording; log: string[]; end: string }> {
  const server = await startServer(talk);
  const { url } = server;
  let end = '';
  const run = async (): Promise<void> => {
    dialogue = { url, says, closes: talk.ends === 'closed-by-client' };
    end = await talker();
  };
  const { result: recording, log: seen } = await logged(() => recordRun(run));
  await server.stop();
  return { url, recording, log: seen, end };
}

function replayed(recording: Recording, said: Dialogue): Promise<{ result: ReplayResult<string>; log: string[] }> {
  dialogue = said;
  return logged(() => replay({ recording, run: () => talker() }));
}

describe.each<Talk>([
  { ends: 'closed-by-server' },
  { ends: 'closed-by-client' },
  { ends: 'dropped' },
  { ends: 'closed-by-server', perMessageDeflate: { threshold: 0 } },
  { ends: 'closed-by-client', perMessageDeflate: { threshold: 0, serverNoContextTakeover: true } },
])('a WebSocket %o', (talk) => {
  it('is replayed with its server gone', async () => {
    const { url, recording, log: seen, end } = await recorded(talk);
    const isCompressed = talk.perMessageDeflate !== undefined;
    expect(recording.replayability.verdict).toBe(isCompressed ? 'partial' : 'full');
    expect(recording.replayability.missing.every(({ detail }) => detail?.includes('its place among other calls'))).toBe(
      true,
    );
    for (let round = 0; round < 3; round += 1) {
      const { result, log: again } = await replayed(recording, {
        url,
        says: ['a', 'b'],
        closes: talk.ends === 'closed-by-client',
      });
      expect(result.divergences).toEqual([]);
      expect(result).toMatchObject({ verdict: 'reproduced', divergences: [] });
      expect(result.value).toBe(end);
      // What unpacks a message takes its time beside other calls; a replay has none of that.
      if (isCompressed) expect(again.toSorted()).toEqual(seen.toSorted());
      else expect(again).toEqual(seen);
    }
  });
});

describe('a WebSocket of an agent that has changed', () => {
  const place = (url: string): string => new URL(url).host;
  const kindsOf = ({ divergences }: ReplayResult<unknown>): unknown[] =>
    divergences.map(({ kind, path }) => [kind, path]);

  it('tells by its path what a message says differently', async () => {
    const { url, recording } = await recorded({ ends: 'closed-by-server' });
    const { result } = await replayed(recording, { url, says: ['a', 'c'], closes: false });
    expect(result.verdict).toBe('diverged');
    const path = `agent:talker/http:SEND ${place(url)}#2`;
    const changed = result.divergences.find((divergence) => divergence.path === path);
    expect(changed?.kind).toBe('input-changed');
    expect(JSON.stringify(changed)).toContain('$.body.json.text');
  });

  it('reports a message that was never sent before, and closes the connection', async () => {
    const { url, recording } = await recorded({ ends: 'closed-by-client' });
    const { result, log: again } = await replayed(recording, { url, says: ['a', 'b', 'more'], closes: true });
    expect(result.verdict).toBe('diverged');
    expect(kindsOf(result)).toContainEqual(['input-changed', `agent:talker/http:SEND ${place(url)}#3`]);
    expect(again.filter((line) => line.startsWith('bytes'))).toEqual(['bytes 010201', 'bytes 010202']);
  });

  it('reports a message that is not sent any more', async () => {
    const { url, recording } = await recorded({ ends: 'closed-by-server' });
    const quiet = agent('talker', async () => {
      const socket = new WebSocket(url, ['realtime'], { headers: { authorization: 'Bearer secret' } });
      socket.on('message', async (data, isBinary) => (isBinary ? undefined : note(String(data))));
      return new Promise((resolve) => socket.on('close', (code, reason) => resolve(`${code} ${reason}`)));
    });
    const result = await replay({ recording, run: () => quiet() });
    expect(kindsOf(result)).toContainEqual(['unconsumed', `agent:talker/http:SEND ${place(url)}`]);
  });
});

describe('a WebSocket that is not opened', () => {
  it('fails again as the server had it', async () => {
    const server = createServer().on('upgrade', (_request, socket: Duplex) => {
      socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const refused = agent('refused', async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
      return new Promise((resolve) => socket.on('error', ({ message }) => resolve(message)));
    });
    const recording = await recordRun(() => refused());
    await new Promise((resolve) => server.close(resolve));
    const result = await replay({ recording, run: () => refused() });
    expect(result).toMatchObject({ verdict: 'reproduced', value: 'Unexpected server response: 401' });
  });
});

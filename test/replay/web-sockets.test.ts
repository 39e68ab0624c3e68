import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ReplayResult, replay } from '@reenact/replay';
import { agent } from 'reenact';
import { describe, expect, it } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { recordRun } from './recorded-run.ts';
import { note, startTalker, type Talk, Talker, watchWebSockets } from './web-socket-talk.ts';

/** As docs/adr/0044 says. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
const MESSAGES_MAX = 10_000;

watchWebSockets();

const talker = new Talker(({ url, says, closes }, log) => {
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

/** A connection whose frames nobody reads but the test. */
async function upgraded(url: string): Promise<Duplex> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    'sec-websocket-version': '13',
    'sec-websocket-extensions': 'permessage-deflate',
  };
  const request = get(url.replace('ws:', 'http:'), { headers });
  const [, socket, head] = (await once(request, 'upgrade')) as [unknown, Duplex, Buffer];
  if (head.length > 0) socket.unshift(head);
  return socket;
}

describe.each<Talk>([
  { ends: 'closed-by-server' },
  { ends: 'closed-by-client' },
  { ends: 'dropped' },
  { ends: 'closed-by-server', perMessageDeflate: { threshold: 0 } },
  { ends: 'closed-by-client', perMessageDeflate: { threshold: 0, serverNoContextTakeover: true } },
])('a WebSocket %o', (talk) => {
  it('is replayed with its server gone', async () => {
    const { said, recording, log: seen, end } = await talker.recorded(talk);
    expect(recording.replayability).toEqual({ verdict: 'full', missing: [] });
    for (let round = 0; round < 3; round += 1) {
      const { result, log: again } = await talker.replayed(recording, said);
      expect(result.divergences).toEqual([]);
      expect(result).toMatchObject({ verdict: 'reproduced', divergences: [] });
      expect(result.value).toBe(end);
      expect(again).toEqual(seen);
    }
  });
});

describe('a compressed WebSocket', () => {
  it('says so where another call was made while a message was packed', async () => {
    const server = await startTalker({ ends: 'closed-by-server', perMessageDeflate: true });
    const impatient = agent('impatient', async () => {
      const socket = new WebSocket(server.url);
      socket.on('open', async () => {
        socket.send(JSON.stringify({ text: 'more '.repeat(500) }));
        await note('meanwhile');
        socket.send(JSON.stringify({ text: 'more '.repeat(700) }));
      });
      return new Promise((resolve) => socket.on('close', (code) => resolve(code)));
    });
    const recording = await recordRun(() => impatient());
    await server.stop();
    expect(recording.replayability.verdict).toBe('partial');
    const details = recording.replayability.missing.map(({ detail }) => detail);
    // The second may have waited for the first.
    expect(new Set(details)).toEqual(new Set([expect.stringContaining('compressed before it was sent')]));
  });

  it('that unpacks to more than what is kept harms nobody: it reaches the host, and is not recorded further', async () => {
    const bomb = Buffer.alloc(MESSAGE_BYTES_MAX + 1);
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: { threshold: 0 } });
    server.on('connection', (socket) => {
      socket.send('before');
      socket.send(bomb, () => socket.close());
    });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const victim = agent('victim', async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}`);
      const lengths: number[] = [];
      socket.on('message', (data: Buffer) => lengths.push(data.length));
      return new Promise((resolve) => socket.on('close', () => resolve(lengths)));
    });
    let seen: unknown;
    const recording = await recordRun(async () => {
      seen = await victim();
    });
    await new Promise((resolve) => server.close(resolve));
    expect(seen).toEqual([6, bomb.length]);
    const details = recording.replayability.missing.map(({ detail }) => detail);
    expect(details).toEqual([expect.stringContaining(`has more than ${MESSAGE_BYTES_MAX} bytes`)]);
    const result = await replay({ recording, run: () => victim() });
    expect(result.verdict).toBe('diverged');
  });
});

describe('what comes over a compressed WebSocket', () => {
  it('in several frames, others between them, is told whole', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: { threshold: 0 } });
    server.on('connection', async (socket) => {
      socket.send('before');
      for (const [index, part] of ['in ', 'several ', 'frames'].entries()) {
        await new Promise((resolve) => socket.send(part, { fin: index === 2 }, resolve));
        socket.ping();
      }
      socket.send('after');
      socket.close(4001);
    });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const listening = agent('listening', async () => {
      const texts: string[] = [];
      const socket = new WebSocket(`ws://127.0.0.1:${port}`).on('message', (data) => texts.push(String(data)));
      const platform = new globalThis.WebSocket(`ws://127.0.0.1:${port}`);
      platform.addEventListener('message', ({ data }) => texts.push(`${data} too`));
      await Promise.all([once(socket, 'close'), once(platform, 'close')]);
      return texts.toSorted();
    });
    let seen: unknown;
    const recording = await recordRun(async () => {
      seen = await listening();
    });
    await new Promise((resolve) => server.close(resolve));
    expect(seen).toContain('in several frames');
    expect(recording.replayability).toEqual({ verdict: 'full', missing: [] });
    const result = await replay({ recording, run: () => listening() });
    expect(result).toMatchObject({ verdict: 'reproduced', divergences: [], value: seen });
  });

  it('that is unpacked by other means than those of the platform is unpacked here, and marked', async () => {
    const server = await startTalker({ ends: 'closed-by-client', perMessageDeflate: { threshold: 0 } });
    const reader = agent('reader', async () => {
      const socket = await upgraded(server.url);
      const [frame] = (await once(socket, 'data')) as [Buffer];
      socket.end();
      await once(socket.resume(), 'close');
      return frame.length > 0;
    });
    const recording = await recordRun(() => reader());
    await server.stop();
    const [received] = recording.crossings.filter(({ name }) => name.startsWith('RECEIVE'));
    expect(received?.lossy).toEqual([expect.stringContaining('unpacked after it had come')]);
    expect(JSON.stringify(received?.input)).toContain('session.created');
  });
});

describe('a WebSocket of an agent that has changed', () => {
  const place = (url: string): string => new URL(url).host;
  const kindsOf = ({ divergences }: ReplayResult<unknown>): unknown[] =>
    divergences.map(({ kind, path }) => [kind, path]);

  it('tells by its path what a message says differently', async () => {
    const { said, recording } = await talker.recorded({ ends: 'closed-by-server' });
    const { result } = await talker.replayed(recording, { ...said, says: ['a', 'c'] });
    expect(result.verdict).toBe('diverged');
    const path = `agent:talker/http:SEND ${place(said.url)}#2`;
    const changed = result.divergences.find((divergence) => divergence.path === path);
    expect(changed?.kind).toBe('input-changed');
    expect(JSON.stringify(changed)).toContain('$.body.json.text');
  });

  it('reports a message that was never sent before, and closes the connection', async () => {
    const { said, recording } = await talker.recorded({ ends: 'closed-by-client' });
    const { result, log: again } = await talker.replayed(recording, { ...said, says: ['a', 'b', 'more'] });
    expect(result.verdict).toBe('diverged');
    expect(kindsOf(result)).toContainEqual(['input-changed', `agent:talker/http:SEND ${place(said.url)}#3`]);
    expect(again.filter((line) => line.startsWith('bytes'))).toEqual(['bytes 010201', 'bytes 010202']);
  });

  it('reports a message that is not sent any more', async () => {
    const { said, recording } = await talker.recorded({ ends: 'closed-by-server' });
    const quiet = agent('talker', async () => {
      const socket = new WebSocket(said.url, ['realtime'], { headers: { authorization: 'Bearer secret' } });
      socket.on('message', async (data, isBinary) => (isBinary ? undefined : note(String(data))));
      return new Promise((resolve) => socket.on('close', (code, reason) => resolve(`${code} ${reason}`)));
    });
    const result = await replay({ recording, run: () => quiet() });
    expect(kindsOf(result)).toContainEqual(['unconsumed', `agent:talker/http:SEND ${place(said.url)}`]);
  });
});

describe('a WebSocket with more than is recorded of one', () => {
  it('gives the host all of it, and says from where on the recording has none', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    server.on('connection', (socket) => {
      for (let index = 0; index < MESSAGES_MAX + 2; index += 1) socket.send('tick');
      socket.close();
    });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const counting = agent('counting', async () => {
      let count = 0;
      const socket = new globalThis.WebSocket(`ws://127.0.0.1:${port}`);
      socket.addEventListener('message', () => {
        count += 1;
      });
      await once(socket, 'close');
      return count;
    });
    let seen: unknown;
    const recording = await recordRun(async () => {
      seen = await counting();
    });
    await new Promise((resolve) => server.close(resolve));
    expect(seen).toBe(MESSAGES_MAX + 2);
    expect(recording.crossings.filter(({ name }) => name.startsWith('RECEIVE')).length).toBe(MESSAGES_MAX);
    const details = recording.replayability.missing.map(({ detail }) => detail);
    expect(details).toEqual([expect.stringContaining(`more than ${MESSAGES_MAX} of them`)]);
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

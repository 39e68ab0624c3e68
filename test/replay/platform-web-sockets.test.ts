import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { replay } from '@reenact/replay';
import { agent } from 'reenact';
import * as undici from 'undici';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recordRun } from './recorded-run.ts';
import { note, startTalker, type Talk, Talker, watchWebSockets } from './web-socket-talk.ts';

/** The older copies that the instrumentation is tested with. */
const require = createRequire(new URL('../../packages/instrumentation-http/package.json', import.meta.url));
const [undici6, undici7] = ['undici-6', 'undici-7'].map((name) => require(name) as typeof undici);

watchWebSockets((instrumentation) => {
  for (const copy of [undici, undici6, undici7]) instrumentation.instrumentUndici(copy);
});

/** The class of a test, and what its messages are to be. */
let Socket: typeof WebSocket = WebSocket;
let binaryType: 'blob' | 'arraybuffer' = 'arraybuffer';

async function told({ data }: MessageEvent): Promise<string> {
  if (typeof data === 'string') return `text ${data.slice(0, 40)} ${data.length}`;
  const bytes = data instanceof Blob ? await data.arrayBuffer() : (data as ArrayBuffer);
  return `${Object.prototype.toString.call(data)} ${Buffer.from(bytes).toString('hex')}`;
}

const talker = new Talker(({ url, says, closes }, log) => {
  const socket = new Socket(url, ['realtime', 'secret-key']);
  socket.binaryType = binaryType;
  const waiting = [...says];
  const ask = (): void => {
    socket.send(JSON.stringify({ type: 'ask', text: waiting.shift() }));
    socket.send(new Uint8Array([7, waiting.length]));
  };
  socket.addEventListener('open', () => log.push(`open ${socket.protocol} ${socket.readyState}`));
  socket.addEventListener('error', (event) => log.push(`error ${Reflect.get(event, 'message')}`));
  socket.addEventListener('message', async (event) => {
    log.push(await told(event));
    if (typeof event.data === 'string') {
      log.push(await note(event.data));
      return;
    }
    if (waiting.length > 0) ask();
    else if (closes) socket.close(3000, 'done');
  });
  socket.addEventListener('message', () => ask(), { once: true });
  return new Promise<string>((resolve) => {
    socket.addEventListener('close', ({ code, reason, wasClean }) => resolve(`${code} ${reason} ${wasClean}`));
  });
});

const classes = [
  ['of the platform', WebSocket],
  ['of undici 6', undici6?.WebSocket],
  ['of undici 7', undici7?.WebSocket],
  ['of undici 8', undici.WebSocket],
] as unknown as readonly (readonly [string, typeof WebSocket])[];

describe.each(classes)('a WebSocket %s', (_name, kind) => {
  beforeEach(() => {
    Socket = kind;
    binaryType = 'arraybuffer';
  });

  const talks: readonly Talk[] = [
    { ends: 'closed-by-server' },
    { ends: 'closed-by-client' },
    { ends: 'dropped' },
    { ends: 'dropped', perMessageDeflate: { threshold: 0 } },
    { ends: 'closed-by-server', perMessageDeflate: { threshold: 0 } },
    { ends: 'closed-by-client', perMessageDeflate: { threshold: 0, serverNoContextTakeover: true } },
  ];

  it.each(talks)('is replayed with its server gone: %o', async (talk) => {
    const { said, recording, log: seen, end } = await talker.recorded(talk);
    expect(recording.replayability).toEqual({ verdict: 'full', missing: [] });
    for (let round = 0; round < 2; round += 1) {
      const { result, log: again } = await talker.replayed(recording, said);
      expect(result).toMatchObject({ verdict: 'reproduced', divergences: [] });
      expect(result.value).toBe(end);
      expect(again).toEqual(seen);
    }
  });

  it('gives Blobs where they were asked for', async () => {
    binaryType = 'blob';
    const { said, recording, log: seen, end } = await talker.recorded({ ends: 'closed-by-client' });
    expect(seen.some((line) => line.startsWith('[object Blob]'))).toBe(true);
    const { result, log: again } = await talker.replayed(recording, said);
    expect(result).toMatchObject({ verdict: 'reproduced', value: end, divergences: [] });
    // A Blob is read beside other calls, which takes its time.
    expect(again.toSorted()).toEqual(seen.toSorted());
  });

  it('tells by its path what a message says differently, and what was never sent', async () => {
    const { said, recording } = await talker.recorded({ ends: 'closed-by-server' });
    const place = new URL(said.url).host;
    const { result } = await talker.replayed(recording, { ...said, says: ['a', 'c'] });
    const changed = result.divergences.find(({ path }) => path === `agent:talker/http:SEND ${place}#3`);
    expect([result.verdict, changed?.kind]).toEqual(['diverged', 'input-changed']);
    expect(JSON.stringify(changed)).toContain('$.body.json.text');
    // Not where the close of the server came in one read with its last message: that is heard first.
    const dropped = await talker.recorded({ ends: 'dropped' });
    const dropping = new URL(dropped.said.url).host;
    const { result: closing } = await talker.replayed(dropped.recording, { ...dropped.said, closes: true });
    expect(closing.divergences[0]).toMatchObject({ kind: 'exhausted', path: `agent:talker/http:SEND ${dropping}#5` });
  });
});

describe.each(classes)('a WebSocket that is not opened, %s,', (_name, kind) => {
  beforeAll(() => {
    Socket = kind;
  });

  it.each(['answers 401', 'drops it', 'is not there'])('fails again as its server had it: it %s', async (how) => {
    const server = createServer().on('upgrade', (_request, socket: Duplex) => {
      if (how === 'drops it') socket.destroy();
      else socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    if (how === 'is not there') await new Promise((resolve) => server.close(resolve));
    const refused = agent('refused', async () => {
      const socket = new Socket(`ws://127.0.0.1:${port}/`);
      return new Promise<string>((resolve) =>
        socket.addEventListener('error', (event) => resolve(`${Reflect.get(event, 'message')} ${socket.readyState}`)),
      );
    });
    let seen: unknown;
    const recording = await recordRun(async () => {
      seen = await refused();
    });
    if (server.listening) await new Promise((resolve) => server.close(resolve));
    expect(recording.replayability.verdict).toBe('full');
    const result = await replay({ recording, run: () => refused() });
    expect(result).toMatchObject({ verdict: 'reproduced', value: seen, divergences: [] });
  });

  it('is called off again', async () => {
    let close = (): void => undefined;
    let gone: Promise<unknown> | undefined;
    const server = createServer().on('upgrade', (_request, socket: Duplex) => {
      gone = once(socket, 'close');
      socket.on('end', () => socket.end()).resume();
      close();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const hasty = agent('hasty', async () => {
      const socket = new Socket(`ws://127.0.0.1:${port}/`);
      close = () => socket.close();
      return new Promise<string>((resolve) => socket.addEventListener('error', ({ type }) => resolve(type)));
    });
    let seen: unknown;
    const recording = await recordRun(async () => {
      seen = await hasty();
      await gone;
    });
    await new Promise((resolve) => server.close(resolve));
    const again = (): Promise<string> => {
      const run = hasty();
      setImmediate(() => close());
      return run;
    };
    const result = await replay({ recording, run: again });
    expect(result).toMatchObject({ verdict: 'reproduced', value: seen, divergences: [] });
  });
});

describe('a WebSocketStream of undici', () => {
  it('is replayed with its server gone', async () => {
    const server = await startTalker({ ends: 'closed-by-client' });
    const streamer = agent('streamer', async () => {
      const stream = new undici.WebSocketStream(server.url, { protocols: ['realtime'] });
      const { readable, writable } = await stream.opened;
      const writer = writable.getWriter();
      const reader = readable.getReader();
      const read: string[] = [];
      for (let asked = 0; read.length < 5; ) {
        const { value } = await reader.read();
        read.push(typeof value === 'string' ? value : Buffer.from(value as Uint8Array).toString('hex'));
        if (read.length % 2 === 1 && asked++ < 2) await writer.write(JSON.stringify({ text: `q${asked}` }));
      }
      stream.close({ closeCode: 3000, reason: 'done' });
      return [read, await stream.closed];
    });
    let seen: unknown;
    const recording = await recordRun(async () => {
      seen = await streamer();
    });
    await server.stop();
    expect(recording.replayability).toEqual({ verdict: 'full', missing: [] });
    const result = await replay({ recording, run: () => streamer() });
    expect(result).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(result.value).toEqual(seen);
  });
});

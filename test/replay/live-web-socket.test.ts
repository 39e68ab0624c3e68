import { replay } from '@reenact/replay';
import { agent } from 'reenact';
import { WebSocket as UndiciWebSocket } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { recordRun } from './recorded-run.ts';
import { startTalker, watchWebSockets } from './web-socket-talk.ts';

watchWebSockets();

const libraries = {
  ws: (url: string) => new WebSocket(url),
  undici: (url: string) => new UndiciWebSocket(url),
};

let stop: (() => Promise<void>) | undefined;
afterEach(() => stop?.());

describe.each(Object.entries(libraries))('a WebSocket of %s that a plan has opened for real', (_, open) => {
  it('fails at once, and says what to do', async () => {
    const server = await startTalker({ ends: 'closed-by-client' });
    stop = server.stop;
    const listening = agent('listening', () => {
      const socket = open(server.url) as unknown as EventTarget & { close(): void };
      return new Promise<string>((resolve) => {
        socket.addEventListener('open', () => {
          socket.close();
          resolve('open');
        });
        socket.addEventListener('error', () => resolve('failed'));
      });
    });
    const recording = await recordRun(() => listening());
    const live = [`http:GET ${new URL(server.url).host}`];
    const result = await replay({ recording, run: () => listening(), live });
    expect(result).toMatchObject({ verdict: 'diverged', value: 'failed' });
    expect(JSON.stringify(result.divergences[0])).toContain('was to be opened for real');
  });
});

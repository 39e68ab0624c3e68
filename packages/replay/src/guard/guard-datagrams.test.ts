import { createSocket, type Socket } from 'node:dgram';
import { setImmediate as turn } from 'node:timers/promises';
import { buildRecording } from '@reenact/recordings/testing';
import { afterEach, expect, it } from 'vitest';
import { playerOf } from '../testdata/replay-of.ts';
import { installGuard } from './install-guard.ts';

const recording = buildRecording({ label: 'agent:a', children: [{ label: 'tool:t', input: ['one'], output: 1 }] });
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

/** What a socket that sends in a replay tells, and what is told of it. */
async function sendInReplay(listen: (socket: Socket) => void): Promise<{ events: unknown[]; forbidden: string[] }> {
  const { player, report } = playerOf(recording);
  const socket = createSocket('udp4');
  sockets.push(socket);
  const events: unknown[] = [];
  const emit = socket.emit.bind(socket) as (...event: unknown[]) => boolean;
  Reflect.set(socket, 'emit', (...event: unknown[]) => {
    events.push(event[0]);
    return event[0] === 'error' && socket.listenerCount('error') === 0 ? true : emit(...event);
  });
  const remove = installGuard({ player, scope: 'process' });
  try {
    socket.send('app.count:1|c', 8125, '127.0.0.1');
    listen(socket);
    events.length = 0;
    await turn();
  } finally {
    remove();
  }
  const { divergences } = report();
  return { events, forbidden: divergences.filter(({ kind }) => kind === 'forbidden').map((one) => one.message) };
}

it('a datagram that is refused is lost without a word where nobody asks what became of it, as Node.js loses one that it could not send', async () => {
  const { events, forbidden } = await sendInReplay(() => undefined);
  expect(events).toEqual([]);
  expect(forbidden).toEqual([expect.stringContaining('dgram.Socket.send 127.0.0.1:8125 was refused')]);
});

it('a datagram that is refused is told to who listens for errors of its socket, also from right behind the call on', async () => {
  const heard: string[] = [];
  const { events } = await sendInReplay((socket) => {
    socket.on('error', (error: Error & { code?: string }) => heard.push(error.code ?? ''));
  });
  expect([events, heard]).toEqual([['error'], ['replay-refused']]);
});

// A bot: its messages come over a connection of its own protocol, and when that closes it opens another one.
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { agent, tool } from 'reenact';

const { BOT_URL = 'http://127.0.0.1:1', ENDS } = process.env;
const half = tool('half', async (count: number) => count / 2, { effect: 'read' });
const answer = agent('message', async (count: number) => half(count));

function connect(): void {
  const asked = request(BOT_URL, { headers: { connection: 'upgrade', upgrade: 'bot' } });
  asked.on('upgrade', (_response, socket: Socket) => {
    socket.on('data', async (text) => {
      console.log(`message: ${await answer(Number(text))}`);
      if (ENDS === '1') process.exit(0);
    });
    socket.on('close', reconnect).on('error', () => undefined);
  });
  asked.on('response', reconnect).on('error', reconnect).end();
}

function reconnect(): void {
  setTimeout(connect, 300);
}

connect();

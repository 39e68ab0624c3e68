// Asks over the platform's own WebSocket, and does what it is answered.
import { agent, tool } from 'reenact';

const { SOCKET_URL = 'ws://127.0.0.1:1', PROMPT = 'What to do?' } = process.env;
const trade = tool('trade', async (text: string) => `traded on ${text}`);

const trader = agent('trader', async () => {
  const socket = new WebSocket(SOCKET_URL);
  socket.addEventListener('open', () => socket.send(JSON.stringify({ type: 'ask', prompt: PROMPT })));
  return new Promise<string>((resolve, reject) => {
    socket.addEventListener('error', reject);
    socket.addEventListener('message', async ({ data }) => {
      const { text, isLast } = JSON.parse(String(data)) as { text: string; isLast: boolean };
      console.log(await trade(text));
      if (isLast) socket.close(1000, 'done');
    });
    socket.addEventListener('close', ({ code, reason }) => resolve(`closed by ${code} ${reason}`));
  });
});

console.log(await trader());

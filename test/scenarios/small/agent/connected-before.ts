// A program with one connection that nothing records, opened before any run and used inside of a tool only. A service, or where AS says so a
// script; where WAITS says so it goes on once it is connected, else at once; where SETS_UP says so, after a recorded call.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { agent, tool } from 'reenact';

if (process.env.SETS_UP === '1') await tool('settings', async () => 'none', { effect: 'read' })();
const client = connect(Number(process.env.SERVICE_PORT), '127.0.0.1').setEncoding('utf8');
const connected = once(client, 'connect');
client.on('error', () => console.error('not connected'));

const look = tool(
  'look',
  async (question: string) => {
    client.write(question);
    const [answer] = (await once(client, 'data')) as [string];
    return answer;
  },
  { effect: 'read' },
);

if (process.env.WAITS === '1') await connected;
else connected.catch(() => undefined);

if (process.env.AS === 'script') {
  console.log(await agent('asker', look)('how many?'));
  client.destroy();
} else {
  const server = createServer(async (request, response) => response.end(await look(request.url ?? '')));
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
  process.once('SIGTERM', () => {
    server.close();
    client.destroy();
  });
}

// A service that listens before it is set up, and turns requests away until it is.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tool } from 'reenact';

const readSetting = tool('read_setting', async (name: string) => `${name} of then`, { effect: 'read' });
const settings: string[] = [];

const server = createServer((_request, response) => {
  response.statusCode = settings.length < 20 ? 503 : 200;
  response.end(settings.at(-1));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => process.exit(0));
for (let count = 1; count <= 20; count += 1) {
  settings.push(await readSetting(`setting ${count}`));
  // What it does with a setting takes several turns of the event loop.
  await new Promise((resolve) => setTimeout(resolve, 10));
}

// A service that listens where it is told to, and ends when it is asked to.
import { createServer } from 'node:http';
import { tool } from 'reenact';

const price = tool('price', async (symbol: string) => symbol.length * 10, { effect: 'read' });

const server = createServer((request, response) => {
  void price(request.url ?? '').then((value) => response.end(String(value)));
});
server.listen(Number(process.env.SERVICE_PORT), '127.0.0.1', () => console.log('{"listens":true}'));
process.once('SIGTERM', () => server.close());

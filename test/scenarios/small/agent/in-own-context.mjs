import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { agent, flush, tool } from 'reenact';

const address = process.env.PEER_URL;

function get() {
  return new Promise((resolve, reject) => {
    http
      .get(address, (response) => response.resume().on('end', () => resolve(response.statusCode)))
      .on('error', reject);
  });
}

// The platform's promise, which is of another realm than everything here.
const look = tool('look', () => fetch(address).then((response) => response.text()), { effect: 'read' });

const tester = agent(`tester-${process.env.TEST_FILE}`, async () => {
  const status = await get();
  await wait(1);
  return [status, await look(`${new Date().toISOString()} ${Math.random()}`), Date.now(), Math.random()];
});

await tester();
await flush();

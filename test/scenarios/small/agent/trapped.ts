// Steps into traps on purpose: a driver nobody wrapped, and a model called past every instrumentation.
import { DatabaseSync } from 'node:sqlite';
import { agent, tool } from 'reenact';

const database = new DatabaseSync(':memory:');
const count = tool('count', async () => database.prepare('SELECT 1 AS one').get(), { effect: 'read' });

await agent('trapped', async () => {
  await count();
  await fetch(`${process.env.MODEL_URL}/v1/chat/completions`, { method: 'POST', body: '{}' }).catch(() => undefined);
})();
// A service goes on until it is stopped.
if (process.argv[2] === 'serve') {
  setInterval(() => undefined, 1_000);
  console.log('serving');
}

import { agent, boundary, keep } from 'reenact';

// A program that closes its pool once its agent is done, and says too late that the run shall be kept.
const pool = boundary.client(
  { query: async (text: string): Promise<number> => text.length, end: async (): Promise<void> => undefined },
  { kind: 'database', name: 'orders', methods: ['query', 'end'] },
);

const desk = agent('desk', async (question: string) => pool.query(question));

const answer = await desk('how many orders?');
console.log(`answer ${answer}, kept ${keep('thumbs down')}`);
await pool.end();

import { agent, tool } from 'reenact';

const look = tool('look', async (what: string) => ({ what, rows: [1, 2, 3] }));

/** How the process ends while the run goes on, by the first argument. */
const crashes: Record<string, (rows: number) => void> = {
  throws: (rows) => void setTimeout(() => fail(new TypeError(`no row ${rows}`)), 10),
  rejects: (rows) => void look('beside').then(() => fail(new RangeError(`no row ${rows}`))),
  handled: (rows) => {
    process.on('unhandledRejection', () => void setTimeout(() => process.exit(4), 10));
    crashes.rejects?.(rows);
  },
  exits: () => process.exit(3),
};

function fail(error: Error): never {
  throw error;
}

const run = agent('crashing', async (how: string) => {
  const { rows } = await look('rows');
  if (process.env.FIXED !== '1') crashes[how]?.(rows.length);
  await new Promise((resolve) => setTimeout(resolve, 400));
  return rows;
});

const [, , how = '', isBare] = process.argv;
if (isBare === undefined) await run(how);
else {
  const { rows } = await look('rows');
  crashes[how]?.(rows.length);
}

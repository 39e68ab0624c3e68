// A process that records, and replays a recording of the same agent in itself, as a test of a user does.
import { agent, findRecording, replay, tool } from 'reenact';

const look = tool('look', async (what: string) => `for real ${what}`);
const main = agent('main', async () => look('the world'));

const { recording } = await findRecording(process.argv[2] ?? '');
for (const run of ['first', 'second']) {
  const { verdict, value, divergences } = await replay({ recording, run: () => main() });
  console.log(JSON.stringify({ run, verdict, value, divergences: divergences.map(({ message }) => message) }));
}

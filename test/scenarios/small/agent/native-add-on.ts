import { Impit } from 'impit';
import { agent, tool } from 'reenact';

// A client whose requests are made by its native add-on: no code of JavaScript opens the connection.
const client = new Impit();
const ask = async (question: string): Promise<number> => {
  const response = await client.fetch(`${process.env.ANSWER_URL}`, { method: 'POST', body: question });
  return (await response.text()).length;
};
const note = tool('note', async (text: string) => text.length);
const asked = process.env.WRAPPED === '1' ? tool('ask', ask) : ask;

const run = agent('asker', async (question: string) => (await note(question)) + (await asked(question)));
process.stderr.write(`ended with ${await run('What is new?')}\n`);

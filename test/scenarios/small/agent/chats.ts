// A chat at standard input: a name first, a turn of an agent for each line, and a question of the agent's own before it acts.
import { createInterface } from 'node:readline/promises';
import { agent, tool } from 'reenact';

const asking = createInterface({ input: process.stdin, output: process.stdout });
const history: string[] = [];
const look = tool('look', async (told: readonly string[]): Promise<string> => `seen ${told.length} ${Math.random()}`);

const turn = agent('turn', async (line: string, at: number): Promise<string> => {
  history.push(`${line} at ${at}`);
  const seen = await look(history);
  const answer = await asking.question(`keep ${line}? `);
  return answer === 'yes' ? look([...history, seen]) : 'dropped';
});

const name = await asking.question('name? ');
for (let line = await asking.question(`${name}> `); line !== 'bye'; line = await asking.question(`${name}> `))
  console.log(await turn(line, Date.now()));
asking.close();
console.log(`goodbye ${name}`);

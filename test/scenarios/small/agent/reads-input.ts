// A command line agent: what it is asked stands in its standard input.
import { text } from 'node:stream/consumers';
import { agent, tool } from 'reenact';

const look = tool('look', async (question: string): Promise<string> => `seen ${question}`);
const answer = agent('answerer', async (question: string): Promise<string> => await look(question));

const question = (await text(process.stdin)).trim();
if (question !== '') console.log(await answer(question));

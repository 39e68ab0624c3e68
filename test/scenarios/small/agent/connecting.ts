// Asks a service in a protocol of its own, which nothing records: by itself, and where VIA says so, inside a tool.
import { once } from 'node:events';
import { connect } from 'node:net';
import { agent, tool } from 'reenact';

async function ask(question: string): Promise<string> {
  const socket = connect(Number(process.env.SERVICE_PORT), '127.0.0.1').setEncoding('utf8');
  socket.write(question);
  const [answer] = (await once(socket, 'data')) as [string];
  socket.destroy();
  return answer;
}

const inTool = tool('ask', ask, { effect: 'read' });
const run = agent('asker', (question: string) => (process.env.VIA === 'tool' ? inTool(question) : ask(question)));

console.log(await run('how many?'));

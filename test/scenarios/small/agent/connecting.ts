// Asks a service in a protocol of its own, which nothing records: by itself, and where VIA says so, inside a tool. Or counts by UDP,
// or asks a name server, or a program.
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { agent, tool } from 'reenact';

async function ask(question: string): Promise<string> {
  const socket = connect(Number(process.env.SERVICE_PORT), '127.0.0.1').setEncoding('utf8');
  socket.write(question);
  const [answer] = (await once(socket, 'data')) as [string];
  socket.destroy();
  return answer;
}

async function count(question: string): Promise<string> {
  const socket = createSocket('udp4');
  await new Promise((resolve) => socket.send(question, Number(process.env.SERVICE_PORT), '127.0.0.1', resolve));
  socket.close();
  return 'counted';
}

async function lookUp(): Promise<string> {
  const resolver = new Resolver({ timeout: 100, tries: 1 });
  resolver.setServers(['127.0.0.1:9']);
  return resolver.resolve4('reenact.invalid').then(String, () => 'no answer');
}

function start(question: string): Promise<string> {
  return promisify(execFile)('uname').then(
    ({ stdout }) => stdout.trim() + question,
    () => 'no answer',
  );
}

/** As clients of MCP start their servers: with an environment of its own, in which nothing loads the hook. */
function startNode(question: string): Promise<string> {
  const given = ['-p', '"out of Node.js"'];
  return promisify(execFile)(process.execPath, given, { env: { PATH: process.env.PATH } }).then(
    ({ stdout }) => stdout.trim() + question,
    () => 'no answer',
  );
}

const ways: Readonly<Record<string, (question: string) => Promise<string>>> = {
  tool: tool('ask', ask, { effect: 'read' }),
  count,
  lookUp,
  start,
  startNode,
};
const run = agent('asker', (question: string) => (ways[process.env.VIA ?? ''] ?? ask)(question));

console.log(await run('how many?'));

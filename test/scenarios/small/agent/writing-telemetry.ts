// As an app whose logger writes lines to a socket of its own, as to Logstash, at a host that is named as one of telemetry. It goes on where nobody is there.
import { connect, type Socket } from 'node:net';
import { agent, tool } from 'reenact';

const [host = '', port = ''] = (process.env.WRITES_TO ?? '').split(':');
const look = tool('look', async () => 7);
let socket: Socket | undefined;

function log(line: string): void {
  socket ??= connect(Number(port), host).on('error', () => undefined);
  socket.write(`${line}\n`);
}

const run = agent('logged', async () => {
  log('asked');
  const found = await look();
  log('looked');
  return found;
});

console.log(JSON.stringify(await run()));
socket?.end();

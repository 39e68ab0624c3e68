// As an app that counts what it does by datagrams, as to StatsD, to a host that is named as one of telemetry.
import { createSocket } from 'node:dgram';
import { agent, tool } from 'reenact';

const [host = '', port = ''] = (process.env.COUNTS_TO ?? '').split(':');
const socket = createSocket('udp4');
const look = tool('look', async () => 7);

function count(name: string): Promise<string> {
  return new Promise((resolve) => {
    socket.send(`${name}:1|c`, Number(port), host, (error, bytes) => {
      // Called from what is told of it, as code of callbacks goes on.
      look().then((found) => resolve(`${error?.message ?? bytes} ${found}`));
    });
  });
}

const run = agent('counted', async () => {
  const told = [await count('asked'), await count('looked')];
  return { told, found: await look() };
});

console.log(JSON.stringify(await run()));
socket.close();

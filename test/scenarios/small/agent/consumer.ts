import { connect } from 'node:net';
import { agent, tool } from 'reenact';

const lookUp = tool('look_up', async (id: number) => id * 10);
const handle = agent('job', async (id: number) => await lookUp(id));

/** Takes one job from a queue, and with ENDS=1 no other; a connection that ends is made again, as clients of queues do. */
function consume(): void {
  const socket = connect(Number(process.env.QUEUE_PORT), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.on('data', async (bytes: Buffer) => {
    console.log(`job: ${await handle(Number(bytes.toString()))}`);
    if (process.env.ENDS === '1') process.exit();
  });
  socket.on('close', () => setTimeout(consume, 200));
}

consume();

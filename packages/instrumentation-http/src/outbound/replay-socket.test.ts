import { expect, it } from 'vitest';
import { ReplaySocket } from './replay-socket.ts';

/** How many timers hold this process up. */
const holding = (): number => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;

it('a connection that its client let go of does not hold the process up until its time limit', () => {
  const socket = new ReplaySocket({ encrypted: false, port: 80 });
  const before = holding();
  socket.setTimeout(30_000);
  expect(holding()).toBe(before + 1);
  socket.unref();
  expect(holding()).toBe(before);
  socket.deliver(Buffer.from('HTTP/1.1 200 OK\r\n'));
  expect(holding()).toBe(before);
  socket.ref();
  expect(holding()).toBe(before + 1);
  socket.unref().setTimeout(10_000);
  expect(holding()).toBe(before);
  socket.destroy();
});

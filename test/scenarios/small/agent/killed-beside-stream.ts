// Is killed while it reads a stream of values, with a call for each of them: what each came to is on the disk, the last values are not.
import { setTimeout as pause } from 'node:timers/promises';
import { agent, tool } from 'reenact';

const values = tool('values', async function* () {
  for (let index = 0; ; index += 1) {
    await pause(10);
    yield index;
  }
});
const double = tool('double', async (value: number) => value * 2);

await agent('reading', async () => {
  for await (const value of values()) {
    console.log(`${value}: ${await double(value)}`);
    if (value === 80) process.kill(process.pid, 'SIGKILL');
  }
})();

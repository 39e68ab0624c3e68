// Has another process work for it in between, so that the spans of both stand in one order.
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { agent, tool } from 'reenact';

const look = tool('look', async (what: string) => {
  await pause(100);
  return `${what} seen`;
});

if (process.argv[2] === 'helper') console.log(await look('helper'));
else
  await agent('helped', async () => {
    await look('before');
    const said = execFileSync(process.execPath, [...process.execArgv, import.meta.filename, 'helper']).toString();
    await look(`after ${said.trim()}`);
  })();

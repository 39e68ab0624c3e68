// Starts a process that ends itself by `process.reallyExit`, which tells nobody in it; with ADDED=1 that one asks once more before.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { agent, tool } from 'reenact';

const [, script = '', role] = process.argv;
const look = tool('look', async (what: string) => `${what} is looked up`);

async function leave(): Promise<never> {
  await look('own');
  if (process.env.ADDED === '1') await look('more').catch(() => undefined);
  const { reallyExit } = process as unknown as { readonly reallyExit: (code: number) => never };
  return reallyExit.call(process, 3);
}

const start = agent('starting', async () => {
  await once(spawn(process.execPath, [script, 'leaving'], { stdio: 'inherit' }), 'exit');
  return look('end');
});

if (role === 'leaving') await leave();
else console.log(await start());

// Starts processes that are ended by a signal for which nothing listens: one that waits, one in the middle of a call, and one that another one has started; and one that aborts
// when it is sent a signal for which it listens. With GOES_ON=1 each of them gets to that call, as one does whose signal comes late.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { agent, tool } from 'reenact';

const [, script = '', role, how] = process.argv;
const take = tool('take', async (what: string) => `${what} is taken`);
const hang = tool('hang', () => new Promise<string>(() => undefined));

async function work(isCalling: boolean): Promise<void> {
  setInterval(() => undefined, 1_000);
  const said = await take('start');
  if (isCalling || (process.env.GOES_ON === '1' && role !== 'told')) void hang();
  // That it has begun is then on the disk.
  await turn();
  console.log(said);
}

function abortWhenTold(): void {
  process.once('SIGUSR2', () => {
    if (process.env.GOES_ON === '1') void hang();
    else process.abort();
  });
}

function launch(): void {
  spawn(process.execPath, [script, 'working', 'launched'], { stdio: 'inherit' });
}

/** Waits until a process says that it has begun, and gives how it ended. */
async function ended(child: ChildProcess, kill: () => void): Promise<string> {
  let said = '';
  const closed = once(child, 'close');
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    if (said === '') kill();
    said += piece;
  });
  const [code, signal] = await closed;
  return `${said.trim()}, ended with ${code} by ${signal}`;
}

const end = agent('ending', async () => {
  const waiting = spawn(process.execPath, [script, 'working', 'waiting']);
  const first = await ended(waiting, () => waiting.kill('SIGKILL'));
  const calling = spawn(process.execPath, [script, 'calling']);
  const second = await ended(calling, () => calling.kill());
  const launcher = spawn(process.execPath, [script, 'launching'], { detached: true });
  const third = await ended(launcher, () => process.kill(-(launcher.pid ?? 0), 'SIGKILL'));
  const told = spawn(process.execPath, [script, 'told']);
  const fourth = (await ended(told, () => told.kill('SIGUSR2'))).replace(/ by .*/, '');
  return { first, second, third, fourth, taken: await take([first, second, third, fourth].join()) };
});

if (role === 'told') abortWhenTold();
if (role === 'working' || role === 'calling' || role === 'told') await work(role === 'calling');
else if (role === 'launching') launch();
else {
  console.log(JSON.stringify(await end()));
  if (how === 'exit') process.exit(0);
}

// Starts programs that are agents themselves: one for each of SYMBOLS, all at once, in turn by each of
// WAYS. STARTED_BY says by what: the agent, or its tool.
import { exec, execFile, execFileSync, execSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { agent, tool } from 'reenact';

const script = 'delegate.ts';
const symbols = (process.env.SYMBOLS ?? 'ACME').split(',');

const ways: Record<string, (symbol: string) => Promise<string>> = {
  spawn: (symbol) => text(spawn('node', [script, symbol], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout),
  execFile: async (symbol) => (await promisify(execFile)(process.execPath, [script, symbol])).stdout,
  execFileSync: async (symbol) => execFileSync(process.execPath, [script, symbol], { encoding: 'utf8' }),
  exec: async (symbol) => (await promisify(exec)(`node ${script} ${symbol}`)).stdout,
  execSync: async (symbol) => execSync(`"${process.execPath}" ${script} '${symbol}'`, { encoding: 'utf8' }),
  shell: (symbol) =>
    text(spawn('node', [script, symbol], { shell: true, stdio: ['ignore', 'pipe', 'inherit'] }).stdout),
  piped: async (symbol) => (await promisify(exec)(`node ${script} ${symbol} | cat`)).stdout,
  fork: async (symbol) => {
    const child = fork(script, [symbol], { silent: true });
    const [said] = await once(child, 'message');
    return JSON.stringify(said);
  },
};

const named = (process.env.WAYS ?? 'spawn').split(',');
const start = async (symbol: string, index: number): Promise<unknown> =>
  JSON.parse((await ways[named[index % named.length] ?? '']?.(symbol)) ?? '');
const startAll = (all: string[]): Promise<unknown[]> => Promise.all(all.map(start));

const delegate = tool('delegate', startAll, { effect: 'read' });

const delegator = agent('delegator', async (all: string[]) =>
  process.env.STARTED_BY === 'tool' ? delegate(all) : startAll(all),
);

console.log(JSON.stringify(await delegator(symbols)));
// Nobody but the child was to see them.
console.error(JSON.stringify({ own: [process.env.TRACEPARENT, process.env.BAGGAGE?.replace(/\..*/, '')] }));

// A program whose process only starts another one of itself, in which everything happens. LAUNCH says how: again with other flags of Node.js,
// as a worker that is told by messages, anew whenever it ends badly, or as workers of a cluster that serve.
import { fork, spawn } from 'node:child_process';
import cluster from 'node:cluster';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';

const self = fileURLToPath(import.meta.url);
const way = process.env.LAUNCH;

async function ask(content: string): Promise<string> {
  const { choices } = await new OpenAI().chat.completions.create({
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content }],
  });
  return choices[0]?.message.content ?? '';
}

function again(attempt: string): void {
  const env = {
    ...process.env,
    LAUNCHED: attempt,
    NODE_OPTIONS:
      process.env.UNHOOKED === '1' ? undefined : `${process.env.NODE_OPTIONS ?? ''} --max-old-space-size=512`,
  };
  const child = spawn(process.execPath, [...process.execArgv, self, attempt], { stdio: 'inherit', env });
  child.on('close', (code) => {
    if (process.env.KEPT !== undefined) writeFileSync(process.env.KEPT, `ended with ${code}`);
    if (way === 'restart' && code !== 0 && attempt === '1') again('2');
    else process.exit(code ?? 1);
  });
}

function told(): void {
  const child = fork(self, [], { env: { ...process.env, LAUNCHED: 'told' } });
  child.on('message', (answer) => {
    console.log(answer);
    if (answer === 'ready') child.send('What is ACME worth?');
    else child.disconnect();
  });
  child.on('close', (code) => process.exit(code ?? 1));
}

function listen(): void {
  process.on('message', async (question: string) => process.send?.(await ask(question)));
  process.send?.('ready');
}

function serve(): void {
  const server = createServer(async ({ url = '' }, response) => response.end(await ask(url)));
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify(server.address() as AddressInfo)));
}

async function work(attempt: string): Promise<void> {
  console.log(await ask(`attempt ${attempt}`));
  // The second time, all is well.
  process.exitCode = way === 'restart' ? Number(attempt === '1') : 4;
}

if (way === 'cluster') {
  if (!cluster.isPrimary) serve();
  else {
    for (let count = 0; count < 2; count += 1) cluster.fork();
    process.once('SIGTERM', () => cluster.disconnect(() => process.exit()));
  }
} else if (process.env.LAUNCHED === 'told') listen();
else if (process.env.LAUNCHED !== undefined) await work(process.env.LAUNCHED);
else if (way === 'told') told();
else again('1');

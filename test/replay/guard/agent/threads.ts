import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Attempts } from './attempts.ts';

/** Tells what became of `body` to whoever started the thread. */
const telling = (body: string): string => `
  const { parentPort, Worker } = require('node:worker_threads');
  const told = (error) => ({ code: error.cause?.code ?? error.code, message: (error.cause ?? error).message });
  (async () => { ${body} })().then(() => parentPort.postMessage({}), (error) => parentPort.postMessage(told(error)));
`;
const writing = (name: string): string => telling(`require('node:fs').writeFileSync('${name}', 'x')`);

const inner = writing('inner-thread.txt').replaceAll('`', '');
const nested = telling(`
  const thread = new Worker(${JSON.stringify(inner)}, { eval: true });
  const told = await new Promise((done, fail) => thread.once('message', done).once('error', fail));
  if (told.code !== undefined) throw told;
`);
const spawning = telling(`
  const child = require('node:child_process').spawn('touch', ['of-a-thread.txt']);
  await new Promise((done, fail) => child.once('error', fail).once('close', done));
`);

const programPath = join(tmpdir(), 'thread.cjs');
writeFileSync(programPath, writing('thread-file.txt'));
const moduleUrl = new URL(
  `data:text/javascript,${encodeURIComponent(`import { createRequire } from 'node:module'; const require = createRequire('/'); ${writing('data.txt')}`)}`,
);

/** Fails with what failed in the thread. */
function inThread(program: string | URL, options: object = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(program, options);
    thread.once('error', reject);
    thread.once('message', (told: { readonly code?: string }) =>
      told.code === undefined ? resolve('done') : reject(told),
    );
  });
}

const all: Attempts = {
  'fs.writeFileSync in a thread of text': () => inThread(writing('text.txt'), { eval: true }),
  'fs.writeFileSync in a thread of a file': () => inThread(programPath),
  'fs.writeFileSync in a thread of an address': () => inThread(moduleUrl),
  'fs.writeFileSync in a thread with an environment of its own': () =>
    inThread(writing('environment.txt'), { eval: true, env: { TMPDIR: tmpdir() } }),
  'fs.writeFileSync in a thread with flags of its own': () =>
    inThread(writing('flags.txt'), { eval: true, execArgv: [], env: { TMPDIR: tmpdir(), NODE_OPTIONS: '' } }),
  'fs.writeFileSync in a thread of a thread': () => inThread(nested, { eval: true }),
  'child_process.spawn in a thread': () => inThread(spawning, { eval: true }),
  'fetch in a thread': () =>
    inThread(telling(`await fetch(${JSON.stringify(process.env.THREAD_URL ?? 'http://127.0.0.1:1/')})`), {
      eval: true,
    }),
};

const few = ['fs.writeFileSync in a thread of text', 'child_process.spawn in a thread', 'fetch in a thread'];

/** Every way to have a thread do something that no boundary covers, or a few of them; each would make a file of its own, or a request. */
export const attempts: Attempts =
  process.env.FEW_THREADS === undefined
    ? all
    : Object.fromEntries(Object.entries(all).filter(([name]) => few.includes(name)));

import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { getPriority, setPriority, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gate } from '../admission/current-gate.ts';
import { agent, boundary } from '../boundary/boundaries.ts';
import type { CrossingFacts } from '../gate/crossing-facts.ts';
import { trapLog } from '../traps/trap-log.ts';
import { installConnectionWatch } from './install-connection-watch.ts';

const recorded: CrossingFacts[] = [];
let folder: string;
let uninstall = (): void => undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reenact-programs-'));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  gate.configure({ recorder: { record: (facts) => recorded.push(facts) } });
  uninstall = installConnectionWatch();
});

afterAll(async () => {
  uninstall();
  gate.configure({ recorder: undefined });
  context.disable();
  await rm(folder, { recursive: true });
});

/** A package of this name whose only function starts a program and waits for it. */
async function starterOf(name: string): Promise<() => Promise<unknown>> {
  const file = join(folder, 'node_modules', name, 'index.cjs');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(join(dirname(file), 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
  await writeFile(
    file,
    `const { spawn } = require('node:child_process');
     module.exports = () => new Promise((resolve) => spawn('true').on('close', resolve));`,
  );
  return createRequire(import.meta.url)(file) as () => Promise<unknown>;
}

it('marks nobody for the program by which an agent of another vendor asks what the machine is called', async () => {
  const file = join(folder, 'node_modules/elastic-apm-node/lib/detect-hostname.js');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `module.exports = () => require('node:child_process').spawnSync('true').status;`);
  const asks = createRequire(import.meta.url)(file) as () => number;
  const { length } = recorded;
  expect(await agent('watched', async () => asks())()).toBe(0);
  expect(recorded.slice(length).map(({ lossy }) => lossy)).toEqual([[]]);
});

it('reports an agent in a program of its own, which asks models where nothing sees it, but not inside a crossing that keeps what it said', async () => {
  const [query, other] = [await starterOf('@anthropic-ai/claude-agent-sdk'), await starterOf('simple-git')];
  const reported: string[] = [];
  const stop = trapLog.listen(({ kind, detail }) => reported.push(`${kind} ${detail}`));
  await other();
  await agent('careful', () => boundary('model', 'claude-agent', query)())();
  expect(reported).toEqual([]);
  await agent('plain', query)();
  expect(reported).toEqual(['unrecorded-model-call @anthropic-ai/claude-agent-sdk']);
  stop();
});

it('marks an agent that asks a process by messages which was started before its run, and not one that it started', async () => {
  const file = join(folder, 'worker.cjs');
  await writeFile(file, `process.on('message', (told) => process.send(told + 1));`);
  const ask = (child: ChildProcess) =>
    new Promise((resolve) => {
      child.once('message', resolve);
      child.send(1);
    });
  const before = fork(file, ['word']);
  const asked = [await agent('asking', () => ask(before))()];
  await agent('starting', async () => {
    const own = fork(file);
    asked.push(await ask(own));
    own.disconnect();
  })();
  before.disconnect();
  expect(asked).toEqual([2, 2]);
  const marksOf = (name: string) => recorded.find(({ boundary: { name: own } }) => own === name)?.lossy.join() ?? '';
  expect(marksOf('asking')).toContain('messages to worker.cjs');
  expect(marksOf('starting')).not.toContain('messages to');
});

it('marks an agent that writes to a program which was started before its run, and every one for the program that a replay refuses to start', async () => {
  const before = spawn('cat', ['-u']);
  const ask = async (child: typeof before): Promise<string> => {
    child.stdin.write('asked');
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    return chunk.toString();
  };
  const keys = Object.keys(before.stdin);
  const answers = [
    await agent('writing', () => ask(before))(),
    await agent('wrapped', () => boundary('tool', 'cat', ask)(before))(),
  ];
  before.stdin.end();
  await once(before, 'close');
  const marksOf = (name: string) => recorded.find(({ boundary: { name: own } }) => own === name)?.lossy.join() ?? '';
  expect(answers).toEqual(['asked', 'asked']);
  expect(keys).not.toContain('write');
  expect(marksOf('writing')).toMatch(/messages to cat.*before the run: program cat/);
  expect(marksOf('wrapped')).toContain('before the run: program cat');
  expect(marksOf('wrapped')).not.toContain('messages to');
});

it('marks an agent that sends a signal to a process which is not of its own, and none that only asks for one, or is inside a tool', async () => {
  const parent = process.ppid;
  const child = spawn('cat');
  const signal = (processId: number) => () => void process.kill(processId, 'SIGWINCH');
  await agent('to its parent', signal(parent))();
  await agent('to its child', signal(child.pid ?? 0))();
  await agent('to itself', signal(process.pid))();
  await agent('only asking', () => void process.kill(parent, 0))();
  await agent('in a tool', () => boundary('tool', 'signal', signal(parent))())();
  child.kill();
  await once(child, 'close');
  const signalled = recorded
    .filter(({ lossy }) => lossy.includes(`/connections/signal to process ${parent}`))
    .map(({ boundary: { name } }) => name);
  expect(signalled).toEqual(['to its parent']);
  expect(recorded.filter(({ lossy }) => lossy.join().includes('/connections/signal')).length).toBe(1);
});

it('marks an agent that changes the priority of a process which is not of its own', async () => {
  const parent = process.ppid;
  await agent('of its parent', () => setPriority(parent, getPriority(parent)))();
  await agent('of itself', () => setPriority(getPriority()))();
  const marked = recorded.filter(({ lossy }) => lossy.join().includes('/connections/priority of '));
  expect(marked.map(({ boundary: { name } }) => name)).toEqual(['of its parent']);
  expect(marked[0]?.lossy).toContain(`/connections/priority of process ${parent}`);
});

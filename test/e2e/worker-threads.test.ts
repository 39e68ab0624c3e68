import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let stage: Stage;
let server: Server;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  stage = await setSmallStage();
  server = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  environment = { CALLED_ADDRESS: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
});

afterAll(async () => {
  server.close();
  await stage.stop();
});

describe('a program that logs in a worker thread and computes in another', () => {
  it('is replayed by its command: both run again, and a timer does not overtake what is computed', async () => {
    const { run, recorded } = await recordRun(stage, 'logging-thread.ts');
    expect([recorded.exitCode, recorded.stdout]).toEqual([0, 'ended with 9\n']);
    expect(recorded.stderr).toContain('"result":8,"msg":"has counted"');
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'logging-thread.ts');
    expect([result.exitCode, report.verdict, report.divergences]).toEqual([0, 'reproduced', []]);
    expect(result.stderr).toContain('"result":8,"msg":"has counted"');
    expect(report.notes.join('\n')).toContain('A worker thread was started: its code runs again');
  });
});

describe('an agent that runs in a worker thread', () => {
  it('is refused by a replay of its command, which says how it is entered instead', async () => {
    const { run } = await recordRun(stage, 'threaded-agent.ts');
    expect(run.crossingCount).toBe(2);
    expect(run.replayability).toMatchObject({
      verdict: 'partial',
      missing: [{ cause: 'entry-needed', detail: 'in a worker thread' }],
    });
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'threaded-agent.ts');
    expect([result.exitCode, report.verdict]).toEqual([3, 'forbidden']);
    const [cause] = report.divergences;
    expect(cause?.message).toContain('agent:greeter was called in a worker thread');
    expect(cause?.next).toContain('--entry <file>#<function>');
    const { stdout: shown } = await stage.reenact(['show', run.rootSpanId]);
    expect(shown).toMatch(
      new RegExp(`^replay it: .*reenact replay ${run.rootSpanId} --entry '<file>#<function>'$`, 'm'),
    );
    const { stderr: told } = await stage.reenact(['replay', run.rootSpanId]);
    expect(told).toContain(
      "as of a run in a worker thread or one that a message began. Name its function: --entry '<file>#<function>', or map it",
    );
    const entered = await stage.reenact(['replay', run.rootSpanId, '--entry', './greeter-thread.ts#greet', '--json']);
    expect(entered.exitCode).toBe(0);
  });
});

describe('an agent that asks a thread which was started before its run', () => {
  it.each([
    'computing',
    'computing port',
    'computing broadcast',
    'computing another',
    'computing-further',
    'number',
    'number-further',
  ])('is replayed where it answers by %s', async (how) => {
    const { run } = await recordRun(stage, ['asked-thread.ts', ...how.split(' ')], environment);
    expect(run.replayability).toEqual({ verdict: 'full', missing: [] });
    const { report } = await replayAsJson(stage, run.rootSpanId, ['asked-thread.ts', ...how.split(' ')]);
    expect([report.verdict, report.divergences]).toEqual(['reproduced', []]);
  });

  it.each(['clock', 'chance port', 'chance broadcast', 'calling', 'chance-further'])(
    'is told to lack the answer where that depends on %s',
    async (how) => {
      const { run } = await recordRun(stage, ['asked-thread.ts', ...how.split(' ')], environment);
      expect(run.replayability).toMatchObject({
        verdict: 'partial',
        missing: [{ cause: 'unseen-connection', detail: 'answers of thread answering-thread.ts' }],
      });
      const { stdout: shown } = await stage.reenact(['show', run.rootSpanId]);
      expect(shown).toContain('ask it inside a tool()');
    },
  );

  it.each([
    ['tinypool', 'process.memoryUsage().heapUsed'],
    ['workerpool', 'os.cpus().length'],
  ])('is replayed where its pool, %s, reads in the thread for itself: %s', async (pool, read) => {
    const folder = join(stage.folder, 'node_modules', pool);
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, 'worker.mjs'),
      `import os from 'node:os';
       import { parentPort } from 'node:worker_threads';
       parentPort.on('message', () => parentPort.postMessage(${read} > 0));`,
    );
    const pooled = { ...environment, THREAD_FILE: join(folder, 'worker.mjs') };
    const { run } = await recordRun(stage, 'asked-thread.ts', pooled);
    expect(run.replayability).toEqual({ verdict: 'full', missing: [] });
  });
});

describe('an agent beside a thread that calls others', () => {
  it('is refused where the thread calls somebody for the sake of the run', async () => {
    const asked = ['asked-thread.ts', 'calling'];
    const { run } = await recordRun(stage, asked, environment);
    const { report, result } = await replayAsJson(stage, run.rootSpanId, asked, { environment });
    expect([result.exitCode, report.verdict]).toEqual([3, 'forbidden']);
  });

  it.each([
    ['caring-not', 'reproduced'],
    ['needing-it', 'forbidden'],
  ])('is told that the thread called somebody by itself, %s, which a replay refuses: %s', async (how, verdict) => {
    const asked = ['asked-thread.ts', 'computing', 'nobody'];
    const early = { ...environment, CALLS_EARLY: how };
    const { run } = await recordRun(stage, asked, early);
    expect(run.replayability).toMatchObject({
      verdict: 'partial',
      missing: [{ cause: 'unseen-connection', detail: 'before the run: calls of thread answering-thread.ts' }],
    });
    const { report } = await replayAsJson(stage, run.rootSpanId, asked, { environment: early });
    expect(report.verdict).toBe(verdict);
    const told = [...report.notes, ...report.divergences.map(({ message }) => message)].join('\n');
    expect(told).toContain('that no run had started or asked for anything');
  });

  it('is told of the run that starts another thread beside one that calls by itself, which that has not asked for anything', async () => {
    const { run } = await recordRun(stage, 'thread-beside-shipper.ts', environment);
    expect(run.replayability.missing.map(({ detail }) => detail)).toEqual([
      'before the run: calls of thread shipping-thread.ts',
    ]);
    const { report } = await replayAsJson(stage, run.rootSpanId, 'thread-beside-shipper.ts', { environment });
    expect([report.verdict, report.divergences]).toEqual(['reproduced', []]);
    expect(report.notes.join('\n')).toContain('that no run had started or asked for anything');
  });
});

import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../scenarios/run-command.ts';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import type { Stage } from '../scenarios/stage.ts';
import { SignalsServer } from './signals-server.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

let server: SignalsServer;
let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

async function withServer<Result>(work: () => Promise<Result>): Promise<Result> {
  server = new SignalsServer();
  await server.start();
  return work().finally(() => server.stop());
}

interface Recorded {
  readonly rootSpanId: string;
  readonly printed: readonly string[];
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && line !== 'started');
}

async function newRun(name: string, known: ReadonlySet<string>): Promise<string> {
  await stage.reenact(['spool', 'deliver']);
  const found = await runsOnceThere(stage, (runs) => runs.find((run) => run.name === name && !known.has(run.traceId)));
  return found.rootSpanId;
}

/** Records the polling bot until it gets a signal while a question of it is open. */
async function recordBot(signal: NodeJS.Signals, environment: NodeJS.ProcessEnv): Promise<Recorded & CommandResult> {
  const known = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
  const held = server.held();
  const parameters = ['--import', 'reenact/register', 'polling-bot.ts'];
  const bot = await stage.start(parameters, { ...environment, POLLED_URL: server.url });
  await held;
  const result = await bot.stop(signal);
  return { ...result, rootSpanId: await newRun('agent:process', known), printed: linesOf(result.stdout) };
}

/** Replays without any request, and gives the report beside what the program printed. */
async function replayQuietly(
  { rootSpanId }: Pick<Recorded, 'rootSpanId'>,
  script: string,
  environment: NodeJS.ProcessEnv,
): Promise<{ report: ReplayReport; printed: string[] }> {
  const before = server.requestCount;
  const { report, result } = await replayAsJson(stage, rootSpanId, script, { environment });
  expect(server.requestCount).toBe(before);
  return { report, printed: linesOf(result.stderr) };
}

describe('a polling bot that a signal has stopped', () => {
  it.each<NodeJS.Signals>(['SIGTERM', 'SIGINT'])('is stopped by %s in its replay, at the same place', (signal) =>
    withServer(async () => {
      const recorded = await recordBot(signal, {});
      expect(recorded.exitCode).toBe(0);
      const environment = { POLLED_URL: server.url };
      const { report, printed } = await replayQuietly(recorded, 'polling-bot.ts', environment);
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [], agentExit: 'exit code 0' });
      // The process, its signal, three questions and the goodbye that it began.
      expect(report.counts).toMatchObject({ recorded: 6, rerun: 2 });
      expect(printed).toEqual(expect.arrayContaining([...recorded.printed]));
    }),
  );

  it.each([
    ['leaves at once', 'leaves', 'exit code 7'],
    ['passes it on to itself when it has tidied up, as the platform ends it', 'passes', 'signal SIGTERM'],
  ])('ends as it did where it %s', (_name, hears, agentExit) =>
    withServer(async () => {
      const recorded = await recordBot('SIGTERM', { HEARS: hears });
      const environment = { POLLED_URL: server.url, HEARS: hears };
      const { report, printed } = await replayQuietly(recorded, 'polling-bot.ts', environment);
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [], agentExit });
      expect(printed).toEqual(expect.arrayContaining([...recorded.printed]));
    }),
  );

  it('is told to have taken another way where nobody listens any more', () =>
    withServer(async () => {
      const recorded = await recordBot('SIGTERM', {});
      const environment = { POLLED_URL: server.url, HEARS: 'nothing' };
      const { report } = await replayQuietly(recorded, 'polling-bot.ts', environment);
      expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1 });
      expect(report.divergences.map(({ kind, path }) => `${kind} ${path}`)).toContain(
        'unconsumed agent:process/message:SIGTERM',
      );
      expect(report.notes.join()).toContain('nobody listens for it any more');
    }));
});

describe('a program that listens for no signal', () => {
  it('ends of one as it does without a recorder, and its recording says that it was stopped', () =>
    withServer(async () => {
      const { exitCode, rootSpanId, printed } = await recordBot('SIGTERM', { HEARS: 'nothing' });
      expect([exitCode, printed]).toEqual([1, ['got /messages/0 1', 'got /messages/1 1']]);
      const { stdout } = await stage.reenact(['show', rootSpanId]);
      expect(stdout).toContain('had not ended when its process stopped');
      expect(stdout).not.toContain('message:SIGTERM');
      const environment = { POLLED_URL: server.url, HEARS: 'nothing' };
      const { report } = await replayQuietly({ rootSpanId }, 'polling-bot.ts', environment);
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    }));
});

describe('a service that a signal has close while it answers', () => {
  it('closes in its replay, and answers as it did', () =>
    withServer(async () => {
      const service = await stage.start(['--import', 'reenact/register', 'closing-service.ts'], {
        ASKED_URL: server.url,
      });
      const { port } = JSON.parse(service.firstLine) as { port: number };
      const held = server.held();
      const answer = fetch(`http://127.0.0.1:${port}/`);
      const release = await held;
      const ended = service.stop('SIGTERM');
      release();
      expect(await (await answer).json()).toEqual({ closing: true, slow: ['/slow 1'] });
      expect((await ended).exitCode).toBe(0);
      const rootSpanId = await newRun('agent:GET /', new Set());
      const { report } = await replayQuietly({ rootSpanId }, 'closing-service.ts', { ASKED_URL: server.url });
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
      expect(report.counts).toMatchObject({ recorded: 4, rerun: 2 });
    }));
});

describe('an agent whose program is told by signals what to do', () => {
  it('hears each at its place again, and what is done about it is of its run', () =>
    withServer(async () => {
      const holds = { first: server.held() };
      const started = await stage.start(['--import', 'reenact/register', 'told-by-signals.ts'], {
        POLLED_URL: server.url,
      });
      const [first, processId] = [await holds.first, started.processId];
      const second = server.held();
      process.kill(processId, 'SIGUSR2');
      first();
      const last = await second;
      const ended = started.stop('SIGTERM');
      last();
      const { stdout } = await ended;
      expect(stdout).toContain('noted: SIGTERM while careful');
      const rootSpanId = await newRun('agent:worker', new Set());
      const { report, printed } = await replayQuietly({ rootSpanId }, 'told-by-signals.ts', { POLLED_URL: server.url });
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
      expect(printed).toEqual(expect.arrayContaining(linesOf(stdout)));
    }));
});

describe('two agents and a child process that a signal stops', () => {
  it('stand where they stood when it comes again', () =>
    withServer(async () => {
      const waits = server.held();
      const family = await stage.start(['--import', 'reenact/register', 'told-family.ts'], { POLLED_URL: server.url });
      await waits;
      const { child } = JSON.parse(family.firstLine) as { child: number };
      const working = server.held(2);
      process.kill(child, 'SIGTERM');
      const answer = await working;
      const ended = family.stop('SIGTERM');
      answer();
      const printed = linesOf((await ended).stdout).slice(1);
      expect(printed[0]).toBe('child ended with 4');
      for (const name of ['agent:first', 'agent:second']) {
        const rootSpanId = await newRun(name, new Set());
        const replayed = await replayQuietly({ rootSpanId }, 'told-family.ts', { POLLED_URL: server.url });
        expect(replayed.report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
        expect(replayed.printed).toEqual(expect.arrayContaining(printed));
      }
    }));
});

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../scenarios/run-command.ts';
import { type EchoStage, listRuns, recordRun, replayAsJson, setEchoStage } from './small-stage.ts';

const agent = 'launching.ts';
/** Each test runs several processes. */
const processesMs = 120_000;
/** The processes that are started load the hook by this; in a replay its driver sees to that. */
const hook = { NODE_OPTIONS: '--import=reenact/register' };
let stage: EchoStage;

beforeAll(async () => {
  stage = await setEchoStage();
});

afterAll(() => stage.stop());

async function replayOf(
  id: string,
  environment: NodeJS.ProcessEnv,
): Promise<{ report: ReplayReport; result: CommandResult }> {
  const requests = stage.provider.requestCount();
  const replayed = await replayAsJson(stage, id, agent, { environment });
  expect(stage.provider.requestCount()).toBe(requests);
  return replayed;
}

describe('a run in a process that the command only starts', () => {
  it.each(['relaunch', 'told'])(
    'is replayed by the same command: %s',
    async (way) => {
      const { run, recorded } = await recordRun(stage, agent, { ...hook, LAUNCH: way });
      expect(run).toMatchObject({ name: 'agent:process', replayability: { verdict: 'full' } });
      const { report, result } = await replayOf(run.rootSpanId, { LAUNCH: way });
      expect(report.divergences).toEqual([]);
      expect(result.exitCode).toBe(0);
      expect(result.stderr).toContain(recorded.stdout.trim());
      expect(report.notes).toContainEqual(expect.stringContaining('The command started the process of agent:process'));
    },
    processesMs,
  );

  it(
    'is none that runs outside of the replay where the command takes away the options that make it join',
    async () => {
      const { run } = await recordRun(stage, agent, { ...hook, LAUNCH: 'relaunch' });
      const { report } = await replayOf(run.rootSpanId, { LAUNCH: 'relaunch', UNHOOKED: '1' });
      expect(report).toMatchObject({ divergences: [], exitCode: 0 });
    },
    processesMs,
  );

  it(
    'is over where the command would start the next one, and of another one the report names the command to give',
    async () => {
      const before = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
      const recorded = await stage.node(['--import', 'reenact/register', agent], { ...hook, LAUNCH: 'restart' });
      expect(recorded.exitCode).toBe(0);
      const runs = (await listRuns(stage)).filter(({ traceId }) => !before.has(traceId));
      const [second, first] = runs.map(({ rootSpanId }) => rootSpanId);
      expect(runs).toHaveLength(2);
      const one = await replayOf(first ?? '', { LAUNCH: 'restart' });
      expect(one.report).toMatchObject({ divergences: [], exitCode: 0 });
      expect(one.report.notes).toContainEqual(expect.stringMatching(/went on to start launching\.ts: it was stopped/));
      const two = await replayOf(second ?? '', { LAUNCH: 'restart' });
      expect(two.report.exitCode).toBe(3);
      expect(two.report.divergences[0]?.next).toMatch(/with that as command, node \S*launching\.ts 2\./);
    },
    processesMs,
  );

  it(
    'is replayed where it was a request to one of several workers',
    async () => {
      const before = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
      const service = await stage.start(['--import', 'reenact/register', agent], { ...hook, LAUNCH: 'cluster' });
      const { port } = JSON.parse(service.firstLine) as { port: number };
      const response = await fetch(`http://127.0.0.1:${port}/worth`, { headers: { connection: 'close' } });
      expect(response.status).toBe(200);
      await response.text();
      await service.stop();
      const [run] = (await listRuns(stage)).filter(({ traceId }) => !before.has(traceId));
      expect(run).toMatchObject({ name: 'agent:GET /worth', replayability: { verdict: 'full' } });
      const { report } = await replayOf(run?.rootSpanId ?? '', { LAUNCH: 'cluster' });
      expect(report.divergences).toEqual([]);
      expect(report.exitCode).toBe(0);
    },
    processesMs,
  );
});

describe('a command that writes down how the process of the run ended', () => {
  it(
    'is judged without what the command itself is refused behind it, and says so',
    async () => {
      mkdirSync(join(stage.folder, 'temporary'));
      const file = join(stage.folder, 'ended.txt');
      const environment = { LAUNCH: 'relaunch', KEPT: file, TMPDIR: join(stage.folder, 'temporary') };
      const { run } = await recordRun(stage, agent, { ...hook, ...environment });
      expect([run.replayability.verdict, existsSync(file)]).toEqual(['full', true]);
      rmSync(file);
      const { report } = await replayOf(run.rootSpanId, environment);
      expect([report.verdict, report.exitCode, existsSync(file)]).toEqual(['reproduced', 0, false]);
      expect(report.notes.join('\n')).toMatch(
        /ended\.txt was refused: .*launching\.ts:\d+.*Nothing of the run differed/,
      );
    },
    processesMs,
  );
});

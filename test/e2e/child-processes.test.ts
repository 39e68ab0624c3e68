import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { type EchoProvider, startEchoProvider } from './provider.ts';
import { listRuns, recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const agent = 'delegator.ts';
/** Each test runs a dozen processes. */
const processesMs = 180_000;
let provider: EchoProvider;
let stage: Stage;
/** The children load the hook by this; in a replay its driver sees to that. */
const hook = { NODE_OPTIONS: '--import=reenact/register' };

beforeAll(async () => {
  provider = await startEchoProvider();
  stage = await setSmallStage(provider.environment);
});

afterAll(async () => {
  await stage.stop();
  await provider.stop();
});

describe('child processes that an agent starts', () => {
  it(
    'are parts of its trace however they are started, and run again answered from the recording',
    async () => {
      const started = { WAYS: 'spawn,execFile,execFileSync,fork', SYMBOLS: 'ACME,INITECH,GLOBEX,HOOLI' };
      const { run, recorded } = await recordRun(stage, agent, { ...hook, ...started });
      expect(run).toMatchObject({ name: 'agent:delegator', crossingCount: 17, replayability: { verdict: 'full' } });
      expect(JSON.parse(recorded.stderr)).toEqual({ own: [null, null] });
      const [requests, file] = [provider.requestCount(), join(stage.folder, 'effect-of-child')];
      const { report, result } = await replayAsJson(stage, run.rootSpanId, agent, {
        environment: { ...started, SIDE_EFFECT_FILE: file },
      });
      expect(report.divergences).toEqual([]);
      expect(result.exitCode).toBe(0);
      expect(report.counts).toMatchObject({ stubbed: 8 });
      expect(result.stderr).toContain(recorded.stdout.trim());
      expect(provider.requestCount()).toBe(requests);
      expect(existsSync(file)).toBe(false);
    },
    processesMs,
  );
});

describe('child processes that were started alike', () => {
  it(
    'each get what was recorded of the one that was started in their place, side by side or in turn',
    async () => {
      // They draw different numbers, so that one which gets the other's would be seen in the answer of the whole.
      const started = { WAYS: 'spawn,execFile', SYMBOLS: 'ACME,ACME,ACME,ACME' };
      const { run, recorded } = await recordRun(stage, agent, { ...hook, ...started });
      const requests = provider.requestCount();
      for (let round = 0; round < 2; round += 1) {
        const { report, result } = await replayAsJson(stage, run.rootSpanId, agent, { environment: started });
        expect(report.divergences).toEqual([]);
        expect(report.counts).toMatchObject({ stubbed: 8 });
        expect(result.stderr).toContain(recorded.stdout.trim());
      }
      expect(provider.requestCount()).toBe(requests);
    },
    processesMs,
  );
});

describe('a child process that a shell starts', () => {
  it(
    'takes part where the line of the shell does nothing else',
    async () => {
      const started = { WAYS: 'exec,execSync,shell', SYMBOLS: 'ACME,INITECH,GLOBEX' };
      const { run, recorded } = await recordRun(stage, agent, { ...hook, ...started });
      expect(run).toMatchObject({ crossingCount: 13 });
      const [requests, file] = [provider.requestCount(), join(stage.folder, 'effect-of-shell')];
      const { report, result } = await replayAsJson(stage, run.rootSpanId, agent, {
        environment: { ...started, SIDE_EFFECT_FILE: file },
      });
      expect(report.divergences).toEqual([]);
      expect(result.exitCode).toBe(0);
      expect(result.stderr).toContain(recorded.stdout.trim());
      expect(provider.requestCount()).toBe(requests);
      expect(existsSync(file)).toBe(false);
    },
    processesMs,
  );

  it(
    'is refused where the line does more, and the report names the way to start it',
    async () => {
      const started = { WAYS: 'piped', SYMBOLS: 'ACME' };
      const { run } = await recordRun(stage, agent, { ...hook, ...started });
      const requests = provider.requestCount();
      const { report, result } = await replayAsJson(stage, run.rootSpanId, agent, { environment: started });
      expect(result.exitCode).toBe(3);
      expect(report.divergences.find(({ kind }) => kind === 'forbidden')).toMatchObject({
        message: expect.stringContaining('node delegate.ts ACME | cat was refused'),
        next: expect.stringContaining("start it as spawn('node', [...])"),
      });
      expect(provider.requestCount()).toBe(requests);
    },
    processesMs,
  );
});

describe('a child process whose code was changed', () => {
  it(
    'diverges at its path',
    async () => {
      const { run } = await recordRun(stage, agent, { ...hook, SYMBOLS: 'ACME,GLOBEX' });
      const environment = { SYMBOLS: 'ACME,GLOBEX', PROMPT: 'Sell?' };
      const { report, result } = await replayAsJson(stage, run.rootSpanId, agent, { environment });
      expect(result.exitCode).toBe(1);
      expect(report.divergences.map(({ kind, path }) => `${kind} ${path}`).sort()).toEqual([
        'input-changed agent:delegator/agent:process#2/agent:delegate/model:openai.chat',
        'input-changed agent:delegator/agent:process/agent:delegate/model:openai.chat',
      ]);
    },
    processesMs,
  );

  it(
    'diverges where one is started that nobody recorded, and nothing of it is real',
    async () => {
      const { run } = await recordRun(stage, agent, { ...hook, SYMBOLS: 'ACME' });
      const [requests, file] = [provider.requestCount(), join(stage.folder, 'effect-of-another')];
      const { report, result } = await replayAsJson(stage, run.rootSpanId, agent, {
        environment: { SYMBOLS: 'ACME,GLOBEX', SIDE_EFFECT_FILE: file },
      });
      expect(result.exitCode).not.toBe(0);
      expect(report.divergences.map(({ kind }) => kind)).toContain('exhausted');
      expect(provider.requestCount()).toBe(requests);
      expect(existsSync(file)).toBe(false);
    },
    processesMs,
  );
});

describe('a tool that starts child processes', () => {
  it(
    'is served without starting any, and with --live starts them in the replay',
    async () => {
      const STARTED_BY = 'tool';
      const { run } = await recordRun(stage, agent, { ...hook, STARTED_BY });
      expect(run.crossingCount).toBe(6);
      const file = join(stage.folder, 'effect-of-tool');
      const environment = { STARTED_BY, SIDE_EFFECT_FILE: file };
      const served = await replayAsJson(stage, run.rootSpanId, agent, { environment });
      expect([served.result.exitCode, served.report.counts.stubbed]).toEqual([0, 1]);
      const requests = provider.requestCount();
      const live = await replayAsJson(stage, run.rootSpanId, agent, {
        environment,
        flags: ['--live', 'tool:delegate'],
      });
      expect(live.report.divergences).toEqual([]);
      expect([live.result.exitCode, live.report.counts.stubbed]).toEqual([0, 2]);
      expect(provider.requestCount()).toBe(requests);
      expect(existsSync(file)).toBe(false);
    },
    processesMs,
  );
});

describe('a program that TRACEPARENT was set for', () => {
  it(
    'stands in that trace, as a run that can be replayed',
    async () => {
      const traceId = 'c0ffee00c0ffee00c0ffee00c0ffee00';
      const { run, recorded } = await recordRun(stage, 'delegate.ts', {
        TRACEPARENT: `00-${traceId}-c0ffee00c0ffee00-01`,
        SIDE_EFFECT_FILE: join(stage.folder, 'effect-recorded'),
      });
      expect(run).toMatchObject({ traceId, name: 'agent:process', crossingCount: 4 });
      expect(readFileSync(join(stage.folder, 'effect-recorded'), 'utf8')).toBe('\n');
      const { report, result } = await replayAsJson(stage, run.rootSpanId, 'delegate.ts');
      expect(report.divergences).toEqual([]);
      expect(result).toMatchObject({ exitCode: 0 });
      expect(result.stderr).toContain(recorded.stdout.trim());
      expect((await listRuns(stage)).filter((listed) => listed.traceId === traceId)).toHaveLength(1);
    },
    processesMs,
  );
});

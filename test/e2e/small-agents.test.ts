import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoStage, listRuns, recordRun, replayAsJson, setEchoStage } from './small-stage.ts';

let stage: EchoStage;

beforeAll(async () => {
  stage = await setEchoStage();
});

afterAll(() => stage.stop());

describe('parallel calls of one tool', () => {
  it('settle in recorded order and get their own outputs, whatever order they are made in', async () => {
    const { run, recorded } = await recordRun(stage, 'parallel.ts', { DELAYS_MS: '900,500,100' });
    expect(JSON.parse(recorded.stdout)).toMatchObject({ settled: [2, 1, 0] });
    for (const startOrder of ['0,1,2', '2,1,0', '1,2,0']) {
      const environment = { DELAYS_MS: '0,0,0', START_ORDER: startOrder };
      const replayed = await stage.reenact(['replay', run.rootSpanId, '--', 'node', 'parallel.ts'], environment);
      expect(replayed.stdout.split('\n')[0]).toBe(recorded.stdout.trim());
    }
  });
});

describe('the names on the global object', () => {
  it('are those of the recording, whatever a replay loads', async () => {
    const { run, recorded } = await recordRun(stage, 'names-of-globals.ts');
    expect(JSON.parse(recorded.stdout)).toContain('structuredClone');
    const { report } = await replayAsJson(stage, run.rootSpanId, 'names-of-globals.ts');
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, outcome: { equal: true } });
  });
});

describe('a call that the program makes before the run begins', () => {
  it('is answered from what was recorded before, and takes nothing of the run', async () => {
    const recorded = await stage.node(['--import', 'reenact/register', 'set-up.ts']);
    expect(JSON.parse(recorded.stdout)).toEqual({ before: 'limit of then', during: 'limit of then' });
    const run = (await listRuns(stage)).find(({ name }) => name === 'agent:configured');
    const { report, result } = await replayAsJson(stage, run?.rootSpanId ?? '', 'set-up.ts', {
      environment: { WORLD: 'now' },
    });
    expect(JSON.parse(result.stderr.trim().split('\n').at(-1) ?? '')).toEqual(JSON.parse(recorded.stdout));
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], outcome: { equal: true } });
    expect(report.counts).toMatchObject({ recorded: 2, stubbed: 1, refused: 0, live: 0, unconsumed: 0 });
    expect(report.setUp).toMatchObject({ recorded: 1, held: 1, stubbed: 1, live: 0, refused: 0, notMade: [] });
  });
});

describe('a tool that failed', () => {
  it('fails again with class, message, code, status and cause, and does not run', async () => {
    const { run, recorded } = await recordRun(stage, 'failing-tool.ts');
    expect(JSON.parse(recorded.stdout)).toEqual({
      name: 'BrokerError',
      message: 'order 7 is gone',
      code: 'ORDER_GONE',
      status: 410,
      cause: 'RangeError: market closed',
    });
    const replayed = await stage.reenact(['replay', run.rootSpanId, '--', 'node', 'failing-tool.ts'], {
      TOOL_MUST_NOT_RUN: '1',
    });
    expect(replayed.exitCode).toBe(0);
    expect(replayed.stdout.split('\n')[0]).toBe(recorded.stdout.trim());
  });

  it('called with one changed argument is input-changed with its path', async () => {
    const { run } = await recordRun(stage, 'failing-tool.ts');
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'failing-tool.ts', {
      environment: { ORDER_ID: '8' },
    });
    expect(result.exitCode).toBe(1);
    expect(report.divergences[0]).toMatchObject({
      kind: 'input-changed',
      path: 'agent:canceller/tool:cancel_order',
      difference: [{ path: '$[0].orderId', recorded: '7', live: '8' }],
    });
    expect(report.divergences[0]?.source?.file).toMatch(/failing-tool\.ts$/);
  });
});

describe('a process without an agent around its calls', () => {
  it('is one run, and replays without the provider', async () => {
    const { run, recorded } = await recordRun(stage, 'bare-model-calls.ts');
    expect(run).toMatchObject({ name: 'agent:process', crossingCount: 4 });
    const requests = stage.provider.requestCount();
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'bare-model-calls.ts');
    expect(report.verdict).toBe('reproduced');
    expect(report.counts).toMatchObject({ stubbed: 3 });
    expect(result.stderr).toContain(recorded.stdout.split('\n')[0]);
    expect(stage.provider.requestCount()).toBe(requests);
  });
});

describe('an agent that ends badly', () => {
  it('is recorded when it crashes, and a replay that crashes as recorded is a reproduction', async () => {
    const { run, recorded } = await recordRun(stage, 'crash.ts');
    expect(recorded.exitCode).toBe(1);
    expect(run).toMatchObject({ name: 'agent:crasher', status: 'error' });
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'crash.ts');
    expect(report.verdict).toBe('reproduced');
    expect(result.exitCode).toBe(0);
  });

  it('is recorded when it leaves by process.exit, with its own exit code', async () => {
    const { run, recorded } = await recordRun(stage, 'exit-now.ts');
    expect(recorded).toMatchObject({ exitCode: 3, stdout: 'price 190\n', stderr: '' });
    expect(run.crossingCount).toBe(2);
    const { report } = await replayAsJson(stage, run.rootSpanId, 'exit-now.ts');
    expect(report.verdict).toBe('reproduced');
  });
});

describe('an app with its own OpenTelemetry', () => {
  it('records through our processor while its own exporter sees slim spans of the same trace', async () => {
    const { stdout, exitCode, stderr } = await stage.node(['own-opentelemetry.ts']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const host = JSON.parse(stdout.split('\n')[1] ?? '') as {
      names: string[];
      hostSeesSecret: boolean;
      traceId: string;
    };
    expect(host.names).toEqual(['execute_tool look_up', 'chat gpt-5-mini', 'invoke_agent hosted', 'request']);
    expect(host.hostSeesSecret).toBe(false);
    const run = (await listRuns(stage)).find(({ traceId }) => traceId === host.traceId);
    expect(run).toMatchObject({ name: 'request', crossingCount: 3, replayability: { verdict: 'full' } });
    const requests = stage.provider.requestCount();
    const { report } = await replayAsJson(stage, run?.rootSpanId ?? '', 'own-opentelemetry.ts');
    expect(report.verdict).toBe('reproduced');
    expect(stage.provider.requestCount()).toBe(requests);
    // Its own processor exports the replay, too: as what it is, and not as one more run in production.
    const others = (await listRuns(stage)).filter(
      ({ name, traceId }) => name === run?.name && traceId !== run?.traceId,
    );
    expect(others.map(({ origin, replayOf }) => [origin, replayOf])).toEqual([['replay', run?.traceId]]);
  });
});

describe('a call that lost its context', () => {
  it('never runs in a replay, and is answered as it was where the process was recorded around the run', async () => {
    const recorded = await stage.node(['--import', 'reenact/register', 'lost-context.ts']);
    expect(recorded.stdout).toBe('{"charged":500}\n');
    const run = (await listRuns(stage)).find(({ name }) => name === 'agent:queuer');
    const file = join(stage.folder, 'side-effect');
    const { report, result } = await replayAsJson(stage, run?.rootSpanId ?? '', 'lost-context.ts', {
      environment: { SIDE_EFFECT_FILE: file },
    });
    expect(result.exitCode).toBe(0);
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], counts: { refused: 0 } });
    expect(result.stderr).toContain('{"charged":500}');
    expect(existsSync(file)).toBe(false);
  });
});

describe('a command that starts the agent twice', () => {
  it('is no reproduction of one run', async () => {
    const { run } = await recordRun(stage, 'failing-tool.ts');
    const twice = 'node failing-tool.ts && node failing-tool.ts';
    const replayed = await stage.reenact(['replay', run.rootSpanId, '--', 'sh', '-c', twice]);
    expect(replayed.exitCode).toBe(2);
    expect(replayed.stdout).toContain('More than one process was answered');
  });
});

describe('an agent that answers with stacks', () => {
  it('has them again to the last frame, whatever it had waited for', async () => {
    const { run, recorded } = await recordRun(stage, 'stacks.ts');
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'stacks.ts');
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(result.stderr).toContain(recorded.stdout.trim());
    // Both sorts are there: what came out of a socket is gone on with from another frame than what came from a timer.
    const stacks = Object.values(JSON.parse(recorded.stdout) as Record<string, string>);
    const isFromSocket = (stack: string): boolean => stack.includes('processTicksAndRejections');
    expect(stacks.some(isFromSocket)).toBe(true);
    expect(stacks.every(isFromSocket)).toBe(false);
  });
});

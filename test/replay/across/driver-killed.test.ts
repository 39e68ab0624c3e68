import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { printedBy } from '@reenact/instrumentation/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsOf } from '../../scenarios/runs-of.ts';
import { type Stage, setStage } from '../../scenarios/stage.ts';

const agentFolder = new URL('agent', import.meta.url).pathname;
const command = ['--import', 'reenact/register', 'waiting.ts'];
let stage: Stage;
let rootSpanId: string;

beforeAll(async () => {
  stage = await setStage({ agentFolder, environment: (folder) => ({ TMPDIR: folder, OTEL_SERVICE_NAME: 'watcher' }) });
  const recorded = await stage.node(command);
  expect(recorded).toMatchObject({ exitCode: 0, stderr: '' });
  const [run] = await runsOf(stage);
  rootSpanId = run?.rootSpanId ?? '';
});

afterAll(() => stage.stop());

/** Starts a replay whose agent waits, and tells where its directory is. */
async function waitingReplay(): Promise<{ driver: ChildProcess; directory: string }> {
  const { program, parameters, options } = stage.reenactCommand(['replay', rootSpanId, '--', 'node', 'waiting.ts'], {
    WAITS: '1',
  });
  const driver = spawn(program, parameters, options);
  const [line] = await printedBy(driver, /\{.*\}/);
  return { driver, ...(JSON.parse(line) as { directory: string }) };
}

/** The processes that report to a replay: what the agent reads as its number is the recorded one. */
function reporting(directory: string): number[] {
  return readdirSync(directory).flatMap((name) => {
    const [, processId] = /^report-(\d+)\.ndjson$/.exec(name) ?? [];
    return processId === undefined ? [] : [Number(processId)];
  });
}

describe('a replay whose driver is killed', { timeout: 120_000 }, () => {
  it('leaves no agent running, and its directory is gone after the next start', async () => {
    const { driver, directory } = await waitingReplay();
    const [processId = 0, ...others] = reporting(directory);
    expect(others).toEqual([]);
    process.kill(processId, 0);
    // The agent holds the other ends of these streams: they close when it has ended, too, and not before.
    const closed = once(driver, 'close');
    driver.kill('SIGKILL');
    await closed;
    expect(existsSync(directory)).toBe(true);
    const next = await stage.reenact(['replay', rootSpanId, '--', 'node', 'waiting.ts']);
    expect(next.exitCode).toBe(0);
    expect(existsSync(directory)).toBe(false);
  });

  it('does not touch the directory of a replay that goes on', async () => {
    const { driver, directory } = await waitingReplay();
    const beside = await stage.reenact(['replay', rootSpanId, '--', 'node', 'waiting.ts']);
    expect(beside.exitCode).toBe(0);
    expect(existsSync(directory)).toBe(true);
    const closed = once(driver, 'close');
    driver.kill('SIGTERM');
    await closed;
    expect(existsSync(directory)).toBe(false);
  });
});

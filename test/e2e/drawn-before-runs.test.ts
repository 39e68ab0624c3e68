import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stage, setStage } from '../scenarios/stage.ts';
import { listRuns, replayAsJson } from './small-stage.ts';

const agentFolder = new URL('../scenarios/set-up/agent', import.meta.url).pathname;
const reproduced = { verdict: 'reproduced', exitCode: 0, divergences: [] };
let stage: Stage;
let names: string[];
const roots = new Map<string, string>();

beforeAll(async () => {
  stage = await setStage({ agentFolder, environment: () => ({}) });
  const { stderr, exitCode } = await stage.node(['--import', 'reenact/register', 'two-posts.ts']);
  expect([exitCode, stderr]).toEqual([0, '']);
  const runs = await listRuns(stage);
  names = runs.map(({ name }) => name ?? '').sort();
  for (const { name, rootSpanId } of runs) roots.set(name ?? '', rootSpanId ?? '');
});

afterAll(() => stage.stop());

describe('a program that draws ids as it is loaded, and calls nothing before its runs', () => {
  it('has no run beside them for it', () => {
    expect(names).toEqual(['agent:evening', 'agent:morning']);
  });

  it.each(['agent:morning', 'agent:evening'])('draws the same again where %s is replayed', async (name) => {
    const { report } = await replayAsJson(stage, roots.get(name) ?? '', 'two-posts.ts');
    expect(report).toMatchObject(reproduced);
    expect(JSON.stringify(report.notes)).not.toMatch(/drawn|clock/);
  });

  it('draws the same again where its function is entered', async () => {
    const flags = ['--entry', './pool.ts#morning', '--json'];
    const { stdout, stderr } = await stage.reenact(['replay', roots.get('agent:morning') ?? '', ...flags], {});
    expect(stdout, stderr).not.toBe('');
    expect(JSON.parse(stdout) as ReplayReport).toMatchObject(reproduced);
  });
});

describe('a program that draws between its runs what it hands to the next', () => {
  it('draws the same again where any of them is replayed', async () => {
    const { stderr, exitCode } = await stage.node(['--import', 'reenact/register', 'rounds.ts']);
    expect([exitCode, stderr]).toEqual([0, '']);
    const rounds = (await listRuns(stage)).filter(({ name }) => name === 'agent:round');
    expect(rounds).toHaveLength(3);
    for (const { rootSpanId } of rounds) {
      const { report } = await replayAsJson(stage, rootSpanId ?? '', 'rounds.ts');
      expect(report).toMatchObject(reproduced);
    }
  });
});

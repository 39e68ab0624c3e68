import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stage, setStage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson } from './small-stage.ts';

const agent = 'failing-tool.ts';
let folder: string;
let stage: Stage;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-repository-'));
  copyFileSync(new URL(`../scenarios/small/agent/${agent}`, import.meta.url), join(folder, agent));
  writeFileSync(join(folder, 'package.json'), '{"name":"canceller","type":"module"}');
  symlinkSync(new URL('../../node_modules', import.meta.url).pathname, join(folder, 'node_modules'));
  stage = await setStage({ agentFolder: folder, environment: () => ({}) });
});

afterAll(async () => {
  await stage.stop();
  rmSync(folder, { recursive: true });
});

const git = (...parameters: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...parameters], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

describe('code of another commit than the recorded one', () => {
  it('is named where the run goes otherwise, and not where it comes out as recorded', async () => {
    git('init', '-q', '-b', 'main');
    git('add', agent);
    git('commit', '-q', '-m', 'recorded');
    const recordedAt = git('rev-parse', 'HEAD').slice(0, 10);
    const { run } = await recordRun(stage, agent);
    git('commit', '-q', '--allow-empty', '-m', 'later');
    const same = await replayAsJson(stage, run.rootSpanId, agent);
    expect(same.report).toMatchObject({ verdict: 'reproduced', notes: [] });
    const other = await replayAsJson(stage, run.rootSpanId, agent, { environment: { ORDER_ID: '8' } });
    expect(other.report.verdict).toBe('diverged');
    expect(other.report.notes).toContainEqual(expect.stringContaining(`\`git diff ${recordedAt}\``));
  });
});

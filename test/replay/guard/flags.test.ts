import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../../scenarios/run-command.ts';
import { runsOf } from '../../scenarios/runs-of.ts';
import { type Stage, setStage } from '../../scenarios/stage.ts';

const agentFolder = new URL('./agent/', import.meta.url).pathname;

let stage: Stage;
let rootSpanId: string;

beforeAll(async () => {
  // The stage's folder is a temporary one, which every replay may write to: the agent gets another.
  stage = await setStage({ agentFolder, environment: (folder) => ({ TMPDIR: join(folder, 'tmp') }) });
  mkdirSync(join(stage.folder, 'tmp'));
  const recorded = await stage.node(['--import', 'reenact/register', 'agent.ts']);
  if (recorded.exitCode !== 0) throw new Error(`Nothing was recorded: ${recorded.stderr}`);
  const [run] = await runsOf(stage);
  rootSpanId = run?.rootSpanId ?? '';
});

afterAll(() => stage.stop());

function replay(...flags: string[]): Promise<CommandResult> {
  return replayAttempts('./one-file.ts', flags);
}

function replayAttempts(attempts: string, flags: readonly string[]): Promise<CommandResult> {
  const environment = { ATTEMPTS: attempts, ONE_FILE: join(stage.folder, 'one.txt') };
  return stage.reenact(['replay', rootSpanId, ...flags, '--', 'node', 'agent.ts'], environment);
}

describe('reenact replay', () => {
  it('ends with 3 where a file was to be written, and says how to allow that', async () => {
    const { exitCode, stdout } = await replay();
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/forbidden/);
    expect(stdout).toMatch(/one-file\.ts:\d+/);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('--allow-path');
  });

  it('lets it be written with --allow-path', async () => {
    const { exitCode } = await replay('--allow-path', stage.folder);
    expect(exitCode).toBe(0);
    expect(readFileSync(join(stage.folder, 'one.txt'), 'utf8')).toBe('written');
  });

  it('takes --allow-host', async () => {
    expect((await replay('--allow-host', 'example.com')).exitCode).toBe(3);
  });

  it('takes --allow-program, and says what was started', async () => {
    const { stdout } = await replayAttempts('./other-programs.ts', ['--allow-program', 'touch']);
    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(text).toContain('child_process.spawn started touch for real');
    expect(text).toContain('child_process.spawn mkdir was refused');
    for (const name of ['spawn', 'exec-file', 'shell']) rmSync(join(agentFolder, `${name}.txt`));
  });
});

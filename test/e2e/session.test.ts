import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CommandResult } from '../scenarios/run-command.ts';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, setSmallStage } from './small-stage.ts';

const messages = ['tell me about quantum', 'and about cats', 'thank you'];

let stage: Stage;
let runIds: string[];

beforeAll(async () => {
  stage = await setSmallStage();
  runIds = [];
  for (const message of messages) {
    const { run } = await recordRun(stage, 'conversation.ts', { SESSION: 'chat-1', MESSAGE: message });
    runIds.push(run.rootSpanId);
  }
  await recordRun(stage, 'conversation.ts', { SESSION: 'chat-2', MESSAGE: 'somebody else' });
});

afterAll(() => stage.stop());

// Each case replays several runs, of two processes each.
vi.setConfig({ testTimeout: 180_000 });

function replaySession(flags: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
  const command = ['replay', '--session', 'chat-1', ...flags, '--', 'node', 'conversation.ts'];
  return stage.reenact(command, { TOOL_MUST_NOT_RUN: '1', ...environment });
}

describe('the runs of a conversation', () => {
  it('are listed by its id', async () => {
    const { stdout } = await stage.reenact(['runs', '--session', 'chat-1', '--json']);
    const { runs } = JSON.parse(stdout) as { runs: { rootSpanId: string }[] };
    expect(runs.map(({ rootSpanId }) => rootSpanId).reverse()).toEqual(runIds);
  });

  it('are replayed in order with one command and one report', async () => {
    const { exitCode, stdout, stderr } = await replaySession([]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('Session chat-1: 3 of 3 runs reproduced.');
    const answers = stdout.split('\n').filter((line) => line.startsWith('all about'));
    expect(answers).toEqual(messages.map((message) => `all about ${message}`));
  });

  it('give an array of reports, and the worst exit code', async () => {
    const { exitCode, stdout } = await replaySession(['--json'], { FIX: 'on' });
    expect(exitCode).toBe(1);
    const reports = JSON.parse(stdout) as ReplayReport[];
    expect(reports.map(({ rootSpanId }) => rootSpanId)).toEqual(runIds);
    expect(reports.map(({ verdict }) => verdict)).toEqual(['diverged', 'reproduced', 'reproduced']);
    expect(reports[0]?.divergences[0]).toMatchObject({ kind: 'input-changed', path: 'agent:answerer/tool:look_up' });
  });

  it('show only the reports of runs that were not reproduced, also as Markdown', async () => {
    const { stdout } = await replaySession([], { FIX: 'on' });
    expect(stdout).toContain('Session chat-1: 2 of 3 runs reproduced.');
    expect(stdout.match(/Cause d1/g)).toHaveLength(1);
    const markdown = await replaySession(['--markdown'], { FIX: 'on' });
    expect(markdown.stdout).toMatch(/^## Session chat-1: 2 of 3 runs reproduced\./);
    expect(markdown.stdout.match(/^### Cause/gm)).toHaveLength(1);
  });

  it('refuse a session nobody recorded and a selector that names nothing in any run, before anything runs', async () => {
    const unknown = await stage.reenact(['replay', '--session', 'chat-9', '--', 'node', 'conversation.ts']);
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/not-found.*chat-9/) });
    const useless = await replaySession(['--live', 'tool:look_down']);
    expect(useless).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/bad-plan.*look_down/) });
    const without = await stage.reenact(['replay', '--session', 'chat-1']);
    expect(without).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/-- node app\.mjs/) });
  });
});

import { spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, setSmallStage } from './small-stage.ts';

let stage: Stage;
let question: string;
let id: string;

/** Runs it with a file as its standard input, or with a socket that nobody writes to, and gives what it printed. */
async function printed(parameters: readonly string[], input: string | undefined): Promise<string> {
  const { options } = stage.reenactCommand([]);
  const file = input === undefined ? undefined : openSync(input, 'r');
  const child = spawn(process.execPath, parameters, { ...options, stdio: [file ?? 'pipe', 'pipe', 'inherit'] });
  const { stdout } = child;
  if (stdout === null) throw new TypeError('A child without output.');
  const said = await text(stdout);
  if (file !== undefined) closeSync(file);
  return said;
}

async function replayed(input: string | undefined): Promise<ReplayReport> {
  const { parameters } = stage.reenactCommand(['replay', id, '--json', '--', 'node', 'reads-input.ts']);
  return JSON.parse(await printed(parameters, input)) as ReplayReport;
}

beforeAll(async () => {
  stage = await setSmallStage();
  question = join(stage.folder, 'question.txt');
  writeFileSync(question, 'what for?\n');
  expect(await printed(['--import', 'reenact/register', 'reads-input.ts'], question)).toBe('seen what for?\n');
  id = (await listRuns(stage))[0]?.rootSpanId ?? '';
});

afterAll(() => stage.stop());

const needed = { verdict: 'partial', missing: [{ cause: 'input-needed', where: 'agent:answerer' }] };

describe('a program that reads its standard input', () => {
  it.each([
    ['its stream', ['reads-input.ts'], needed],
    ['a line of it, of the module that gives it', ['reads-input-otherwise.ts', 'line'], needed],
    ['its descriptor', ['reads-input-otherwise.ts', 'file'], needed],
    ['a piece of its descriptor', ['reads-input-otherwise.ts', 'piece'], needed],
    ['its path', ['reads-input-otherwise.ts', 'path'], needed],
    ['nothing but whether it is a terminal', ['reads-input-otherwise.ts', 'terminal'], { verdict: 'full' }],
    ['another file', ['reads-input-otherwise.ts', 'other'], { verdict: 'full' }],
  ])('is told of as soon as it is recorded: %s', async (_, command, replayability) => {
    const before = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
    await printed(['--import', 'reenact/register', ...command], question);
    const [run] = (await listRuns(stage)).filter(({ traceId }) => !before.has(traceId));
    expect(run?.replayability).toMatchObject(replayability);
  });

  it('is given that of the replay, also where the report is for programs', async () => {
    expect(await replayed(question)).toMatchObject({ verdict: 'reproduced', divergences: [] });
  });

  it.each([
    ['is empty', (): string => '/dev/null'],
    ['is a socket, which is not handed on', (): undefined => undefined],
  ])('is told of where it never got to its run: its input %s', async (_, input) => {
    const report = await replayed(input());
    expect(report.verdict).toBe('nothing-compared');
    expect(report.enterBy).toContain(`reads its standard input, which no recording holds`);
    expect(report.enterBy).not.toContain('message');
  });

  it('is told of where it is given something else', async () => {
    const other = join(stage.folder, 'other.txt');
    writeFileSync(other, 'what against?\n');
    const report = await replayed(other);
    expect(report).toMatchObject({ verdict: 'diverged' });
    expect(report.notes.join()).toContain(`reenact replay ${id} -- <command> < <file>`);
  });
});

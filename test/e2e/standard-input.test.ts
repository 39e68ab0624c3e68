import { spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, setSmallStage } from './small-stage.ts';

type Run = Awaited<ReturnType<typeof listRuns>>[number];

let stage: Stage;
let question: string;

/** Runs it with a file as its standard input, or with a socket that nobody writes to, and gives what it printed. */
async function printed(
  parameters: readonly string[],
  input: string | undefined,
  environment: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { options } = stage.reenactCommand([]);
  const file = input === undefined ? undefined : openSync(input, 'r');
  const env = { ...options.env, ...environment };
  const child = spawn(process.execPath, parameters, { ...options, env, stdio: [file ?? 'pipe', 'pipe', 'inherit'] });
  const { stdout } = child;
  if (stdout === null) throw new TypeError('A child without output.');
  const said = await text(stdout);
  if (file !== undefined) closeSync(file);
  return said;
}

/** Runs a program and types each line when it asks for it: with what its output ends then. */
async function typed(program: string, lines: readonly (readonly [prompt: string, line: string])[]): Promise<string> {
  const { options } = stage.reenactCommand([]);
  const parameters = ['--import', 'reenact/register', program];
  const child = spawn(process.execPath, parameters, { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
  const left = [...lines];
  let said = '';
  for await (const part of child.stdout) {
    said += part;
    const [next] = left;
    if (next === undefined || !said.endsWith(next[0])) continue;
    child.stdin.write(`${next[1]}\n`);
    left.shift();
  }
  expect(left).toEqual([]);
  return said;
}

/** Records a program that is given its input by a pipe. */
async function piped(command: readonly string[], input: string): Promise<string> {
  const { options } = stage.reenactCommand([]);
  const parameters = ['--import', 'reenact/register', ...command];
  const child = spawn(process.execPath, parameters, { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  return text(child.stdout);
}

/** The runs that `record` has added, in the order in which they began. */
async function recordedBy(record: () => Promise<unknown>): Promise<Run[]> {
  const before = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
  await record();
  return (await listRuns(stage)).filter(({ traceId }) => !before.has(traceId)).reverse();
}

/** A replay of a program, whose standard input is a socket that nobody writes to unless a file is named. */
async function replayed(id: string | undefined, command: readonly string[], input?: string): Promise<ReplayReport> {
  const { parameters } = stage.reenactCommand(['replay', id ?? '', '--json', '--', 'node', ...command]);
  return JSON.parse(await printed(parameters, input)) as ReplayReport;
}

beforeAll(async () => {
  stage = await setSmallStage();
  question = join(stage.folder, 'question.txt');
  writeFileSync(question, 'what for?\n');
});

afterAll(() => stage.stop());

const full = { verdict: 'full' };
const lacking = { verdict: 'partial', missing: [{ cause: 'input-needed' }] };
const reproduced = { verdict: 'reproduced', divergences: [] };

describe('a program that reads its standard input', () => {
  it.each([
    ['its stream', ['reads-input.ts']],
    ['a line of it, of the module that gives it', ['reads-input-otherwise.ts', 'line']],
    ['its descriptor', ['reads-input-otherwise.ts', 'file']],
    ['a piece of its descriptor', ['reads-input-otherwise.ts', 'piece']],
    ['its path', ['reads-input-otherwise.ts', 'path']],
    ['its path as a URL', ['reads-input-otherwise.ts', 'url']],
    ['its path, by a promise', ['reads-input-otherwise.ts', 'promise']],
    ['its descriptor, by a callback', ['reads-input-otherwise.ts', 'callback']],
    ['nothing but whether it is a terminal', ['reads-input-otherwise.ts', 'terminal']],
    ['another file', ['reads-input-otherwise.ts', 'other']],
  ])('is given in a replay what it was given: %s', async (_, command) => {
    const [run] = await recordedBy(() => printed(['--import', 'reenact/register', ...command], question));
    expect(run?.replayability).toMatchObject(full);
    expect(await replayed(run?.rootSpanId, command)).toMatchObject(reproduced);
  });

  it.each([
    ['a file that it had opened for that', 'opened'],
    ['its descriptor, by a callback for a piece', 'later'],
    ['a stream of its own over the descriptor', 'stream'],
  ])('is told to lack what it read of %s', async (_, way) => {
    const command = ['--import', 'reenact/register', 'reads-input-otherwise.ts', way];
    const [run] = await recordedBy(async () => expect(await printed(command, question)).toBe('seen what for?\n'));
    expect(run?.replayability).toMatchObject(lacking);
  });

  it('is told to lack what it read of a socket of its own over the descriptor', async () => {
    const [run] = await recordedBy(() => piped(['reads-input-otherwise.ts', 'socket'], 'what for?'));
    expect(run?.replayability).toMatchObject(lacking);
    const [own] = await recordedBy(() => piped(['reads-input-otherwise.ts', 'line'], 'what for?\n'));
    expect(own?.replayability).toMatchObject(full);
  });

  it('is given that of the recording, and not that of the replay', async () => {
    const [run] = await recordedBy(() => printed(['--import', 'reenact/register', 'reads-input.ts'], question));
    const other = join(stage.folder, 'other.txt');
    writeFileSync(other, 'what against?\n');
    const report = await replayed(run?.rootSpanId, ['reads-input.ts'], other);
    expect(report).toMatchObject(reproduced);
    expect(report.notes.join()).toContain('The file that was handed to the replay is not read');
  });

  it('is given lines before its runs, inside them and between them, each when it asks for it', async () => {
    const lines = [
      ...[
        ['name? ', 'Ann'],
        ['Ann> ', 'one'],
        ['keep one? ', 'yes'],
      ],
      ...[
        ['Ann> ', 'two'],
        ['keep two? ', 'no'],
        ['Ann> ', 'bye'],
      ],
    ] as const;
    const runs = await recordedBy(async () => expect(await typed('chats.ts', lines)).toMatch(/goodbye Ann\n$/));
    expect(runs.map(({ replayability }) => replayability?.verdict)).toEqual(['full', 'full']);
    for (const { rootSpanId } of runs) expect(await replayed(rootSpanId, ['chats.ts'])).toMatchObject(reproduced);
  });
});

describe('where draws are not recorded, input is not, and a program that reads it', () => {
  const notDrawn = { REENACT_RECORD_DRAWS: '0' };
  const needed = { verdict: 'partial', missing: [{ cause: 'input-needed', where: 'agent:answerer' }] };
  let id = '';

  beforeAll(async () => {
    const command = ['--import', 'reenact/register', 'reads-input.ts'];
    const [run] = await recordedBy(() => printed(command, question, notDrawn));
    expect(run?.replayability).toMatchObject(needed);
    id = run?.rootSpanId ?? '';
  });

  it('is given that of the replay, also where the report is for programs', async () => {
    expect(await replayed(id, ['reads-input.ts'], question)).toMatchObject(reproduced);
  });

  it.each([
    ['is empty', (): string => '/dev/null'],
    ['is a socket, which is not handed on', (): undefined => undefined],
  ])('is told of where it never got to its run: its input %s', async (_, input) => {
    const report = await replayed(id, ['reads-input.ts'], input());
    expect(report.verdict).toBe('nothing-compared');
    expect(report.enterBy).toContain(`reads its standard input, which no recording holds`);
    expect(report.enterBy).not.toContain('message');
  });

  it('is told of where it is given something else', async () => {
    const other = join(stage.folder, 'other.txt');
    writeFileSync(other, 'what against?\n');
    const report = await replayed(id, ['reads-input.ts'], other);
    expect(report).toMatchObject({ verdict: 'diverged' });
    expect(report.notes.join()).toContain(`reenact replay ${id} -- <command> < <file>`);
  });
});

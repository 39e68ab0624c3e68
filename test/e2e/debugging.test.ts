import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { DebuggerClient, type Stop } from './debugger-client.ts';
import { recordRun, setSmallStage } from './small-stage.ts';

const agentFolder = fileURLToPath(new URL('../scenarios/small/agent', import.meta.url));
const agentFile = join(agentFolder, 'debugged.ts');
const lines = readFileSync(agentFile, 'utf8').split('\n');
const callLine = lines.findIndex((line) => line.includes('await getQuote('));
const reenactFile = fileURLToPath(new URL('../../packages/reenact/bin/reenact.mjs', import.meta.url));

let stage: Stage;
let fixture: string;

beforeAll(async () => {
  stage = await setSmallStage();
  const { run } = await recordRun(stage, 'debugged.ts');
  fixture = join(stage.folder, 'debugged.otlp.jsonl');
  await stage.reenact(['export', run.rootSpanId, '--out', fixture]);
});

afterAll(() => stage.stop());

interface Debugged {
  readonly client: DebuggerClient;
  readonly output: () => string;
  readonly exitCode: Promise<number | null>;
  /** Ends the command, as Ctrl-C does. */
  readonly stop: () => void;
}

function textOf(child: ChildProcess, onText: (text: string) => void): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part) => {
      text += String(part);
      onText(text);
    });
  }
  return () => text;
}

/** Starts a replay that waits for a debugger, and connects one. */
async function debugReplay(
  flags: readonly string[],
  command: readonly string[],
  { recording = fixture, ...more }: NodeJS.ProcessEnv & { recording?: string } = {},
): Promise<Debugged> {
  const { NODE_OPTIONS: _options, ...rest } = process.env;
  const environment = { ...rest, ...more };
  const parameters = [reenactFile, 'replay', recording, ...flags, ...(command.length > 0 ? ['--', ...command] : [])];
  const child = spawn(process.execPath, parameters, { cwd: agentFolder, env: environment });
  const exitCode = new Promise<number | null>((resolve) => child.once('close', resolve));
  let output: () => string = () => '';
  const address = await new Promise<string>((resolve, reject) => {
    output = textOf(child, (text) => {
      const [, url] = /Debugger listening on (ws:\S+)\n/.exec(text) ?? [];
      if (url !== undefined) resolve(url);
    });
    void exitCode.then(() => reject(new Error(`no debugger was waited for: ${output()}`)));
  });
  const stop = (): void => void child.kill('SIGTERM');
  return { client: await DebuggerClient.connect(address), output, exitCode, stop };
}

/** Goes on at every stop to the end of the program, and gives where it stood on the way. */
async function stopsOf({ client, exitCode }: Debugged): Promise<{ stops: Stop[]; exitCode: number | null }> {
  const stops: Stop[] = [];
  await client.run();
  for (let stop = await client.nextStop(); stop !== undefined; stop = await client.nextStop()) {
    stops.push(stop);
    await client.resume();
  }
  return { stops, exitCode: await exitCode };
}

describe('--inspect-brk --pause-at', () => {
  it("stops once, on the user's line before that crossing, with the user's frame on top", async () => {
    const flags = ['--inspect-brk', '--pause-at', 'tool:get_quote#2'];
    const debugged = await debugReplay(flags, ['node', 'debugged.ts'], { WATCH_CLOCK: '1' });
    const { client } = debugged;
    await client.run();
    const stop = await client.nextStop();
    const [top] = stop?.frames ?? [];
    if (top === undefined) throw new TypeError(`it did not stop: ${debugged.output()}`);
    expect(top).toMatchObject({ url: pathToFileURL(agentFile).href, line: callLine });
    expect(await client.evaluate(top, 'asked')).toBe('asking for GLOBEX');
    expect(await client.evaluate(top, 'quotes.length')).toBe(1);
    // Long enough for the agent to notice, if its clock went on while it was held.
    await delay(1_500);
    await client.resume();
    expect(await client.nextStop()).toBeUndefined();
    expect(await debugged.exitCode).toBe(0);
    const told = debugged.output();
    for (const symbol of ['ACME', 'GLOBEX', 'INITECH']) expect(told).toContain(`asking for ${symbol}: at once`);
    expect(told.match(/asking for ACME/g)).toHaveLength(1);
    expect(told).toContain('Reproduced');
  });

  it('stops before each crossing the selector names', async () => {
    const debugged = await debugReplay(['--inspect-brk=0', '--pause-at', 'tool:*'], ['node', 'debugged.ts']);
    const { stops, exitCode } = await stopsOf(debugged);
    expect(stops.map(({ frames }) => frames[0]?.line)).toEqual([callLine, callLine, callLine]);
    expect(exitCode).toBe(0);
  });

  it('stops before the run itself, also when the program is started by another one', async () => {
    const flags = ['--inspect-brk', '--pause-at', 'agent:reader'];
    const debugged = await debugReplay(flags, ['sh', '-c', 'node debugged.ts && true']);
    const { stops, exitCode } = await stopsOf(debugged);
    expect(stops).toHaveLength(1);
    expect(stops[0]?.frames[0]?.line).toBe(lines.findIndex((line) => line.startsWith('await readAll()')));
    expect(exitCode).toBe(0);
  });

  it('does nothing for real while it looks for the line, and once after that', async () => {
    const marker = join(agentFolder, `live-${process.pid}.txt`);
    const flags = ['--inspect-brk', '--pause-at', 'tool:get_quote#1', '--live', 'tool:get_quote'];
    try {
      const { stops } = await stopsOf(await debugReplay(flags, ['node', 'debugged.ts'], { LIVE_MARKER: marker }));
      expect(stops).toHaveLength(1);
      expect(readFileSync(marker, 'utf8')).toBe('ACME\nGLOBEX\nINITECH\n');
    } finally {
      if (existsSync(marker)) rmSync(marker);
    }
  });
});

describe('--inspect-brk alone', () => {
  it('that is called off while it waits for its debugger says so, and that nothing was done', async () => {
    const debugged = await debugReplay(['--inspect-brk'], ['node', 'debugged.ts']);
    debugged.stop();
    expect(await debugged.exitCode).toBe(2);
    const told = debugged.output().replace(/\s+/g, ' ');
    expect(told).toContain('it was ended while it waited for its debugger');
    expect(told).not.toContain('never joined');
  });

  it('stops at the first line of the program', async () => {
    const { stops, exitCode } = await stopsOf(await debugReplay(['--inspect-brk'], ['node', 'debugged.ts']));
    expect(stops).toHaveLength(1);
    expect(stops[0]?.frames[0]?.url).toBe(pathToFileURL(agentFile).href);
    expect(exitCode).toBe(0);
  });
});

describe('a replay that a function enters', () => {
  it.each([[['--inspect-brk']], [['--inspect-brk', '--pause-at', 'agent:desk']]])(
    'stops in that function: %j',
    async (flags) => {
      const { run } = await recordRun(stage, 'entries/app.ts');
      const recording = join(stage.folder, `entries-${flags.length}.otlp.jsonl`);
      await stage.reenact(['export', run.rootSpanId, '--out', recording]);
      const debugged = await debugReplay([...flags, '--entry', './entries/desk.ts#answer'], [], { recording });
      const { stops, exitCode } = await stopsOf(debugged);
      const file = join(agentFolder, 'entries/desk.ts');
      const line = readFileSync(file, 'utf8')
        .split('\n')
        .findIndex((text) => text.includes("agent('desk'"));
      expect(stops.map(({ frames }) => frames[0])).toMatchObject([
        { url: pathToFileURL(file).href, line: expect.any(Number) },
      ]);
      expect([line, line + 1]).toContain(stops[0]?.frames[0]?.line);
      expect(exitCode).toBe(0);
    },
  );
});

describe('flags that do not fit', () => {
  it.each([
    [['--pause-at', 'tool:get_quote'], /bad-argument.*--pause-at[\s\S]*--inspect-brk/],
    [['--inspect-brk', '--pause-at', 'tool:get_qoute'], /bad-plan.*tool:get_qoute[\s\S]*tool:get_quote/],
    [['--inspect-brk=many'], /"many" is not a port/],
  ])('%j is refused before anything runs', async (flags, message) => {
    const result = await stage.reenact(['replay', fixture, ...flags, '--', 'node', 'debugged.ts']);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
  });
});

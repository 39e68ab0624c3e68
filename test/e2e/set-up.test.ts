import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stage, setStage } from '../scenarios/stage.ts';
import { listRuns, replayAsJson } from './small-stage.ts';

const agentFolder = new URL('../scenarios/set-up/agent', import.meta.url).pathname;
let stage: Stage;
let effects: string;

beforeAll(async () => {
  const environment = (folder: string) => ({
    EFFECTS_FILE: join(folder, 'effects.txt'),
    LEDGER: join(folder, 'ledger.db'),
  });
  stage = await setStage({ agentFolder, environment });
  effects = join(stage.folder, 'effects.txt');
});

afterAll(() => stage.stop());

/** Runs a program of the folder, and gives the root of its agent's run and what it printed. */
async function record(script: string, name: string): Promise<{ root: string; printed: string }> {
  const { stdout, stderr, exitCode } = await stage.node(['--import', 'reenact/register', script]);
  expect([exitCode, stderr]).toEqual([0, '']);
  const run = (await listRuns(stage)).find((listed) => listed.name === name && listed.replayId === undefined);
  return { root: run?.rootSpanId ?? '', printed: stdout.trim() };
}

describe('an agent that connects to an MCP server and lists its tools before the run', () => {
  it('does both again without the server, and sells nothing', async () => {
    const { root, printed } = await record('mcp-agent.ts', 'agent:seller');
    expect(readFileSync(effects, 'utf8')).toBe('started\nsold ACME\n');
    const { report, result } = await replayAsJson(stage, root, 'mcp-agent.ts');
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], agentExit: 'exit code 0' });
    expect(report.setUp).toMatchObject({ recorded: 2, stubbed: 2, live: 0, refused: 0, notMade: [] });
    expect(result.stderr).toContain(printed);
    expect(readFileSync(effects, 'utf8')).toBe('started\nsold ACME\n');
  });
});

describe('a program that notes what it did, and closes its database, after the run', () => {
  let root: string;
  const rows = (): number => {
    const ledger = new DatabaseSync(join(stage.folder, 'ledger.db'), { readOnly: true });
    const { count } = ledger.prepare('SELECT count(*) AS count FROM done').get() as { count: number };
    ledger.close();
    return count;
  };
  beforeAll(async () => {
    ({ root } = await record('closing.ts', 'agent:bookkeeper'));
  });

  it('does all of it again without the database, and ends well', async () => {
    const environment = { LEDGER: '/nowhere/ledger.db' };
    const { report } = await replayAsJson(stage, root, 'closing.ts', { environment });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], agentExit: 'exit code 0' });
    expect(report.setUp).toMatchObject({ refused: 0, notMade: [] });
    expect(rows()).toBe(1);
  });

  it('says of another note that it was not made, and that the run is not touched by it', async () => {
    const { report } = await replayAsJson(stage, root, 'closing.ts', { environment: { NOTE: 'other books' } });
    expect(report).toMatchObject({ verdict: 'reproduced', setUp: { refused: 0 } });
    expect(report.crossings.filter(({ answer }) => answer === 'refused')).toHaveLength(1);
    expect(JSON.stringify(report.notes)).toMatch(/database:sqlite.* was called after agent:bookkeeper had ended/);
    expect(rows()).toBe(1);
  });
});

describe('a store that goes on setting itself up while the run waits for it', () => {
  it('is set up again without an effect, and the run is answered its own', async () => {
    const { root, printed } = await record('opens-beside.ts', 'agent:opener');
    const before = readFileSync(effects, 'utf8');
    const { report, result } = await replayAsJson(stage, root, 'opens-beside.ts');
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], exitCode: 0, agentExit: 'exit code 0' });
    expect(report.setUp).toMatchObject({ recorded: 1, stubbed: 1, refused: 0, notMade: [] });
    expect(report.counts).toMatchObject({ recorded: 3, stubbed: 2, rerun: 1, refused: 0 });
    expect(result.stderr).toContain(printed);
    expect(readFileSync(effects, 'utf8')).toBe(before);
  });
});

describe('a store that begins to set itself up only beside the first run', () => {
  for (const name of ['agent:beginner', 'agent:process']) {
    it(`is set up again without an effect where ${name} is replayed`, async () => {
      const { root, printed } = await record('begins-beside.ts', name);
      const before = readFileSync(effects, 'utf8');
      const { report, result } = await replayAsJson(stage, root, 'begins-beside.ts');
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], exitCode: 0, agentExit: 'exit code 0' });
      expect(report.counts).toMatchObject({ recorded: 3, stubbed: 2, rerun: 1, refused: 0, unrecorded: 0 });
      expect(result.stderr).toContain(printed);
      expect(readFileSync(effects, 'utf8')).toBe(before);
    });
  }

  it('is said of the run to have been called beside it', async () => {
    const { root } = await record('begins-beside.ts', 'agent:beginner');
    const { stdout } = await stage.reenact(['show', root]);
    expect(stdout).toMatch(/^beside: calls of the program while agent:beginner went on: reenact show [0-9a-f]{32}$/m);
  });
});

describe('a program that asks for its settings with deadlines before the run', () => {
  it('hears in time what came in time, and not what came too late', async () => {
    const { root, printed } = await record('guarded.ts', 'agent:guarded');
    expect(printed).toBe('limit of then, the default');
    const { report, result } = await replayAsJson(stage, root, 'guarded.ts');
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(report.setUp).toMatchObject({ recorded: 2, stubbed: 2, refused: 0 });
    expect(result.stderr).toContain(printed);
  });
});

describe('a service that listens before it is set up', () => {
  it('is asked again only when it is', async () => {
    const service = await stage.start(['--import', 'reenact/register', 'listens-first.ts']);
    const { port } = JSON.parse(service.firstLine) as { port: number };
    while ((await fetch(`http://127.0.0.1:${port}/early`)).status === 503);
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('setting 20 of then');
    await service.stop();
    let root: string | undefined;
    do root = (await listRuns(stage)).find(({ name }) => name === 'agent:GET /')?.rootSpanId;
    while (root === undefined);
    const { report } = await replayAsJson(stage, root, 'listens-first.ts');
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], setUp: { recorded: 20, stubbed: 20 } });
  });
});

describe('an agent whose module reads a setting when it is loaded', () => {
  let root: string;

  async function entered(environment: NodeJS.ProcessEnv = {}): Promise<ReplayReport> {
    const { stdout, stderr } = await stage.reenact(
      ['replay', root, '--entry', './desk.ts#answer', '--json'],
      environment,
    );
    expect(stdout, stderr).not.toBe('');
    return JSON.parse(stdout) as ReplayReport;
  }

  beforeAll(async () => {
    ({ root } = await record('main.ts', 'agent:desk'));
  });

  it('is entered by its function with the setting of then', async () => {
    const report = await entered({ WORLD: 'now' });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], outcome: { equal: true } });
    expect(report.counts).toMatchObject({ recorded: 2, stubbed: 1, rerun: 1, refused: 0 });
    expect(report.setUp).toMatchObject({ recorded: 1, stubbed: 1, notMade: [] });
  });

  it('diverges where the module reads another setting', async () => {
    const report = await entered({ SETTING: 'colour' });
    expect(report.exitCode).toBe(1);
    expect(report.divergences.map(({ kind, path }) => [kind, path])).toEqual([
      ['input-changed', 'agent:process/tool:read_setting'],
    ]);
  });

  it('says in the fixture when a set-up was changed by hand', async () => {
    const fixture = join(stage.folder, 'desk.otlp.jsonl');
    await stage.reenact(['export', root, '--out', fixture]);
    expect(existsSync(fixture)).toBe(true);
    writeFileSync(fixture, readFileSync(fixture, 'utf8').replace('limit of then', 'limit of thin'));
    const { exitCode, stderr } = await stage.reenact(['replay', fixture, '--', 'node', 'main.ts']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('fixture-damaged')]);
  });
});

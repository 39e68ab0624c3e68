import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../scenarios/run-command.ts';
import { type Stage, setStage } from '../scenarios/stage.ts';
import { listRuns } from './small-stage.ts';

const agentFolder = new URL('../scenarios/small/agent/entries', import.meta.url).pathname;
let stage: Stage;
let root: string;
const spanOf = new Map<string, string>();

beforeAll(async () => {
  stage = await setStage({ agentFolder, environment: () => ({ OTEL_SERVICE_NAME: 'entries' }) });
  await stage.node(['--import', 'reenact/register', 'app.ts']);
  root = (await listRuns(stage))[0]?.rootSpanId ?? '';
  const shown = await stage.reenact(['show', root, '--json']);
  const { crossings } = JSON.parse(shown.stdout) as { crossings: { path: string; spanId: string }[] };
  for (const { path, spanId } of crossings) spanOf.set(path, spanId);
});

afterAll(() => stage.stop());

function spanId(path: string): string {
  const found = spanOf.get(path);
  if (found === undefined) throw new TypeError(`nothing was recorded at ${path}: ${[...spanOf.keys()].join(', ')}`);
  return found;
}

async function replayJson(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ report: ReplayReport; result: CommandResult }> {
  const result = await stage.reenact(['replay', ...parameters, '--json'], environment);
  try {
    return { report: JSON.parse(result.stdout) as ReplayReport, result };
  } catch {
    throw new Error(`no report (exit ${result.exitCode}): ${result.stdout}${result.stderr}`);
  }
}

/** A configuration of one test, in the folder of the agent so that it finds its modules. */
function configFile(text: string, name = 'reenact.config.ts'): string {
  const path = join(mkdtempSync(join(stage.folder, 'config-')), name);
  writeFileSync(path, text);
  return path;
}

async function refused(parameters: readonly string[]): Promise<string> {
  const result = await stage.reenact(['replay', ...parameters]);
  expect(result).toMatchObject({ exitCode: 2, stdout: '' });
  expect(result.stderr).not.toMatch(/^\s+at /m);
  return result.stderr;
}

describe('a replay that a function of reenact.config.ts enters', () => {
  it('re-runs the run without its program, functions of the input doing nothing', async () => {
    const { report, result } = await replayJson([root]);
    expect(report).toMatchObject({
      verdict: 'reproduced',
      rootPath: 'agent:desk',
      divergences: [],
      counts: { stubbed: 3, rerun: 2, unconsumed: 0 },
      outcome: { equal: true },
    });
    expect(report.notes).toEqual([
      expect.stringContaining('replaced by ones that do nothing: /0/onText'),
      expect.stringContaining('agent:desk/tool:place_order was served whole'),
    ]);
    expect(result.exitCode).toBe(0);
    expect(result.stderr).not.toContain('said');
  });

  it('re-runs one tool with its recorded input, instances as instances, what nests inside stubbed', async () => {
    const { report } = await replayJson([spanId('agent:desk/tool:place_order')]);
    expect(report).toMatchObject({
      verdict: 'reproduced',
      rootPath: 'agent:desk/tool:place_order',
      counts: { recorded: 2, stubbed: 1, rerun: 1, compared: 2 },
      outcome: { equal: true },
    });
  });

  it('shows what a change of that tool changes', async () => {
    const { report, result } = await replayJson([spanId('agent:desk/tool:place_order')], { FACTOR: '2' });
    expect(report.divergences).toMatchObject([
      { kind: 'outcome-changed', difference: [{ path: '$.value', recorded: '190000', live: '380000' }] },
    ]);
    expect(result.exitCode).toBe(1);
  });

  it('runs what nests inside for real where the plan says so', async () => {
    const { report } = await replayJson([spanId('agent:desk/tool:place_order'), '--live', 'tool:get_price']);
    expect(report).toMatchObject({ verdict: 'reproduced', counts: { live: 1, rerun: 1, stubbed: 0 } });
  });

  it('re-runs a sub-agent', async () => {
    const { report } = await replayJson([spanId('agent:desk/agent:analyst')]);
    expect(report).toMatchObject({ verdict: 'reproduced', counts: { stubbed: 1, rerun: 1 } });
  });

  it('reads a stream as far as it was read', async () => {
    const { report } = await replayJson([spanId('agent:desk/tool:stream_words')]);
    expect(report).toMatchObject({ verdict: 'reproduced', outcome: { equal: true } });
    expect(report.outcome?.replayed).toContain('"chunks":["a","b"]');
  });

  it('refuses what the code of the re-run tool does to the world without a boundary', async () => {
    // Temporary files are allowed, and this repository may itself lie among them: then the stage's folder holds them.
    const environment = { LEDGER: join(agentFolder, `ledger-${process.pid}.txt`), TMPDIR: stage.folder };
    const { report, result } = await replayJson([spanId('agent:desk/tool:place_order')], environment);
    expect(report.divergences[0]).toMatchObject({ kind: 'forbidden', path: 'agent:desk/tool:place_order' });
    expect(result.exitCode).toBe(3);
    expect(existsSync(environment.LEDGER)).toBe(false);
  });
});

describe('--entry', () => {
  it('enters without a configuration', async () => {
    const { report } = await replayJson([spanId('agent:desk/tool:place_order'), '--entry', './broker.ts#placeOrder']);
    expect(report).toMatchObject({ verdict: 'reproduced' });
  });

  it('proves nothing where the function does not cross the boundary, and says so', async () => {
    const parameters = [spanId('agent:desk/tool:place_order'), '--entry', 'broker.ts#unwrapped'];
    const { report, result } = await replayJson(parameters);
    expect(report.verdict).toBe('unverified');
    expect(report.notes).toContainEqual(expect.stringContaining('name the wrapped function'));
    expect(report.enterBy).toMatch(/^Give the entry the function that agent\(\), tool\(\) or its like gave/);
    expect(result.exitCode).toBe(2);
  });

  it.each([
    [['--entry', './broker.ts#placeOrdr'], /bad-config.*"placeOrdr".*does not exist.*"placeOrder"/],
    [['--entry', './broker.ts#placeOrder', '--', 'node', 'app.ts'], /bad-argument.*--entry and a command/],
  ])('%j is refused before any agent code runs', async (parameters, message) => {
    expect(await refused([root, ...parameters])).toMatch(message);
  });
});

describe('a configuration that cannot be used', () => {
  it.each([
    [
      'an unknown key',
      'export const reenact = { entrys: {} };',
      /bad-config.*not valid at entrys: there is no such key/,
    ],
    ['syntax that must be compiled', 'export enum Kind { A }', /bad-config.*could not be loaded[\s\S]*tsx/],
  ])('because of %s, is refused before any agent code runs', async (_, text, message) => {
    expect(await refused([root, '--config', configFile(text)])).toMatch(message);
  });

  it('is not there', async () => {
    expect(await refused([root, '--config', 'gone.config.ts'])).toMatch(/bad-config.*gone\.config\.ts/);
  });
});

describe('a part of a run without an entry', () => {
  it('names the line to add, whether or not a command was given', async () => {
    const config = configFile('export default { entries: {} };', 'reenact.config.mjs');
    const tool = spanId('agent:desk/agent:analyst/tool:summarise');
    for (const command of [[], ['--', 'node', 'app.ts']]) {
      const message = await refused([tool, '--config', config, ...command]);
      expect(message).toMatch(/unsupported.*has no entry for tool:summarise/);
      expect(message).toContain(`entries: { 'tool:summarise': './<file>#<exported function>' }`);
    }
  });
});

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../scenarios/run-command.ts';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, setSmallStage } from './small-stage.ts';

let stage: Stage;
let rootSpanId: string;
let toolSpanId: string;
let fixture: string;

beforeAll(async () => {
  stage = await setSmallStage();
  const { run } = await recordRun(stage, 'parallel.ts');
  rootSpanId = run.rootSpanId;
  const shown = await stage.reenact(['show', rootSpanId, '--json']);
  const { crossings } = JSON.parse(shown.stdout) as { crossings: { kind: string; spanId: string }[] };
  toolSpanId = crossings.find(({ kind }) => kind === 'tool')?.spanId ?? '';
  fixture = join(stage.folder, 'run.otlp.jsonl');
  await stage.reenact(['export', rootSpanId, '--out', fixture]);
});

afterAll(() => stage.stop());

/** Stopped before the agent ran: no output of it, but the error where JSON was asked for, exit code 2, one clear message and no stack. */
function expectRefusal(result: CommandResult, message: RegExp): void {
  expect(result.exitCode).toBe(2);
  expect(result.stdout).toMatch(/^(?:\{"error":\{"code":.*\}\n)?$/);
  expect(result.stderr).toMatch(message);
  expect(result.stderr).not.toMatch(/^\s+at /m);
}

function replay(...parameters: string[]): Promise<CommandResult> {
  return stage.reenact(['replay', ...parameters, '--', 'node', 'parallel.ts']);
}

describe('a replay stops before any agent code runs', () => {
  it('when the fixture is not there', async () => {
    expectRefusal(await replay('deleted.otlp.jsonl'), /fixture-unreadable.*deleted\.otlp\.jsonl/);
  });

  it('when the fixture was changed', async () => {
    const changed = join(stage.folder, 'changed.otlp.jsonl');
    writeFileSync(changed, readFileSync(fixture, 'utf8').replace('output of part 1', 'output of part X'));
    expectRefusal(await replay(changed), /fixture-damaged/);
  });

  it('when the fixture is cut or has a line that is not OTLP', async () => {
    const cut = join(stage.folder, 'cut.otlp.jsonl');
    writeFileSync(cut, readFileSync(fixture, 'utf8').slice(0, -200));
    expectRefusal(await replay(cut), /fixture-damaged/);
    appendFileSync(cut, '\nnot json\n');
    expectRefusal(await replay(cut), /cut\.otlp\.jsonl:\d+/);
  });

  it('when a folder is named instead of a file', async () => {
    expectRefusal(await replay(stage.folder), /fixture-unreadable.*is a folder[\s\S]*\.otlp\.jsonl/);
  });

  it('when the collector is not there', async () => {
    expectRefusal(
      await replay(rootSpanId, '--collector', 'http://127.0.0.1:1'),
      /collector-unreachable.*\n.*reenact collect/,
    );
  });

  it('when nobody knows the id', async () => {
    expectRefusal(await replay('0123456789abcdef'), /not-found.*\n.*reenact runs/);
  });

  it('when a selector is misspelt, with the name that was meant', async () => {
    expectRefusal(await replay(rootSpanId, '--live', 'tool:fetch_prat'), /bad-plan.*fetch_prat[\s\S]*fetch_part/);
  });

  it('when the span is nested, with the command to use', async () => {
    expectRefusal(await replay(toolSpanId), new RegExp(`unsupported[\\s\\S]*${rootSpanId}`));
  });

  it('when there is no command, or it does not exist', async () => {
    expectRefusal(await stage.reenact(['replay', rootSpanId]), /bad-argument.*\n.*-- node parallel\.ts/);
    expectRefusal(
      await stage.reenact(['replay', rootSpanId, '--', 'no-such-program']),
      /launch-failed.*no-such-program/,
    );
  });
});

describe('a replay in which nothing was intercepted', () => {
  it('compared nothing and says so', async () => {
    const result = await stage.reenact(['replay', rootSpanId, '--', 'node', 'untouched.ts']);
    expect(result.exitCode).toBe(2);
    expect(result.stdout).toMatch(/nothing/i);
  });

  it('points to what the command printed where that failed by itself', async () => {
    const result = await stage.reenact(['replay', rootSpanId, '--', 'node', 'misspelt.ts']);
    expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining('ERR_MODULE_NOT_FOUND')]);
    expect(result.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /Next: The command ended with exit code 1 and called nothing that was recorded: look at what it printed first\. Check/,
    );
  });

  it('is not mistaken for a reproduction when the command is not node', async () => {
    const result = await stage.reenact(['replay', rootSpanId, '--', 'true']);
    expect(result.exitCode).toBe(2);
  });
});

describe('the command line', () => {
  it.each([
    [['replay', '--liev', 'x'], /^✗ bad-argument Unknown option '--liev'\.[\s\S]*See: reenact replay --help/],
    [['relpay'], /^✗ bad-argument Unknown command 'relpay'\.[\s\S]*replay/],
    [['list'], /Unknown command 'list'[\s\S]*reenact runs/],
    [['record', '--', 'node', 'app.mjs'], /Unknown command 'record'[\s\S]*--import reenact\/register/],
    [['runs', '--limit', 'many'], /--limit/],
    [['runs', '--status', 'fine'], /--status/],
    [['collect', '--http-port', 'http'], /"http" is not a port\. \(--http-port\)/],
    [['collect', '--http-port='], /"" is not a port\. \(--http-port\)/],
    [['tail', '--from', 'yesterday'], /"yesterday" is no event id\. \(--from\)/],
    [['store', 'verify', 'backup'], /write --data backup/],
    [['store', 'settle', 'backup'], /write --data backup/],
    [['diff', 'a', 'b', '--json', '--markdown'], /'--markdown' cannot be used with option '--json'/],
    [['replay', 'a', '--markdown', '--json', '--', 'node', 'a'], /'--markdown' cannot be used with option '--json'/],
    [['runs', '--sum', '--limit', '3'], /'--sum' cannot be used with option '--limit <count>'/],
    [['show', 'latest', '--outline', '--full'], /'--outline' cannot be used with option '--full'/],
    [['show', 'latest', '--alone', '--outline'], /'--outline' cannot be used with option '--alone'/],
    [['runs', '--of-tenant', 'acme'], /it is not "acme"[\s\S]*Leave the tenant out \(--of-tenant/],
    [['collect', '--forward', 'jaeger'], /--forward jaeger=http/],
    [['export', '0123456789abcdef'], /--out[\s\S]*See: reenact export --help/],
    [['show', 'nonsense'], /nonsense/],
    [['store', 'delete', 'nonsense'], /^✗ bad-argument "nonsense" is neither/],
  ])('%j is refused in one clear sentence', async (parameters, message) => {
    const result = await stage.reenact(parameters);
    expectRefusal(result, message);
  });

  it('prints no colour into a pipe and JSON that parses', async () => {
    const shown = await stage.reenact(['show', rootSpanId]);
    expect(shown.stdout).not.toContain('\u001b[');
    expect(JSON.parse((await stage.reenact(['show', rootSpanId, '--json'])).stdout)).toHaveProperty('crossings');
  });
});

describe('a list that cannot be made', () => {
  it.each([
    [['--limit', 'x'], /--limit cannot be used: it is not a whole number from 1 to 500/],
    [['--limit', '0'], /--limit cannot be used: it is not a whole number from 1 to 500/],
    [['--status', 'bad'], /--status cannot be used: it is neither ok nor error/],
    [['--trace', 'zz'], /--trace cannot be used: it is no trace id, which has 32 hex digits\./],
    [['--span', 'zz'], /--span cannot be used: it is no span id, which has 16 hex digits\./],
    [['--replayability', 'x'], /--replayability cannot be used: it is none of full, partial, cold\./],
    [['--kind', 'bogus'], /--kind cannot be used: it is none of agent, model, tool, .*, function\./],
    [['--kept', 'maybe'], /--kept cannot be used: it is neither true nor false\./],
    [['--agent', '--sum'], /Option '--agent <name>' argument missing, before '--sum'\./],
    [['--since', 'yesterday'], /--since cannot be used: it is not a time such as 2026-11-17/],
  ])('says what %j takes', async (flags, message) => {
    expectRefusal(await stage.reenact(['runs', ...flags]), message);
  });
});

it.each([
  ['a file that is not there', ['show', 'deleted.otlp.jsonl'], 'fixture-unreadable'],
  ['a flag that there is none of', ['replay', 'latest', '--lives', 'tool:*'], 'bad-argument'],
  ['a replay that is refused', ['replay', 'deleted.otlp.jsonl', '--', 'node', 'parallel.ts'], 'fixture-unreadable'],
])('whoever reads JSON is told in JSON: %s', async (_what, words, code) => {
  const [command = '', ...others] = words;
  const { exitCode, stdout, stderr } = await stage.reenact([command, '--json', ...others]);
  expect(exitCode).toBe(2);
  const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
  expect(error.code).toBe(code);
  expect(stderr).toContain(`✗ ${code} `);
  expect(stderr.toLowerCase()).toContain(error.message.slice(0, 20).toLowerCase());
});

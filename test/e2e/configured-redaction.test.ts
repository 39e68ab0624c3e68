import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stage, setStage } from '../scenarios/stage.ts';
import { listRuns } from './small-stage.ts';

const agentFolder = new URL('../scenarios/small/agent/entries', import.meta.url).pathname;
const program = ['--import', 'reenact/register', 'app.ts'];
const named = { REENACT_CONFIG: 'reenact.config.ts' };
let stage: Stage;
let root: string;

beforeAll(async () => {
  stage = await setStage({ agentFolder, environment: () => ({ OTEL_SERVICE_NAME: 'configured' }) });
  const { stdout, exitCode } = await stage.node(program, named);
  // The program itself works with the real text, and its answer holds it.
  expect([exitCode, stdout.includes('summary of sell $1,000')]).toEqual([0, true]);
  root = (await listRuns(stage))[0]?.rootSpanId ?? '';
});

afterAll(() => stage.stop());

function configFile(text: string): string {
  const path = join(mkdtempSync(join(stage.folder, 'config-')), 'reenact.config.mjs');
  writeFileSync(path, text);
  return path;
}

async function replayed(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<{ report: ReplayReport; exitCode: number | null }> {
  const { stdout, exitCode } = await stage.reenact(['replay', root, '--json', ...parameters], environment);
  return { report: JSON.parse(stdout) as ReplayReport, exitCode };
}

describe('redaction that reenact.config.ts asks for', () => {
  it('is in force where REENACT_CONFIG names the file', async () => {
    const { stdout } = await stage.reenact(['show', root, '--json']);
    expect(stdout).toContain('[redacted:amount:');
    expect(stdout).not.toContain('$1,000');
  });

  it.each([
    ['a command enters', ['--', 'node', 'app.ts']],
    ['a function enters', []],
  ])('gives the same tokens in a replay that %s', async (_, parameters) => {
    const { report, exitCode } = await replayed(parameters, named);
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [], outcome: { equal: true } });
    expect(exitCode).toBe(0);
  });

  it('is missed by a replay without it, which names the rule', async () => {
    const { report, exitCode } = await replayed(['--', 'node', 'app.ts'], {});
    expect(report.verdict).not.toBe('reproduced');
    const advice = report.divergences.map(({ next }) => next).join('\n');
    expect(advice).toMatch(/redacted by the rule amount, which is not in force in this process: configure redaction/);
    expect(exitCode).not.toBe(0);
  });
});

describe('a configuration that cannot be used', () => {
  it.each([
    [
      'a rule without a place',
      "redaction: { rules: [{ id: 'a', why: 'b' }] }",
      'redaction.rules.0: a rule needs a path',
    ],
    [
      'an id that is none',
      "redaction: { rules: [{ id: 'A b', why: '', path: 'c' }] }",
      'redaction.rules.0.id: an id is',
    ],
    ['an unknown key', "redaction: { personal: ['email'], rule: [] }", 'redaction.rule: there is no such key'],
    ['an unknown key of a rule', "redaction: { rules: [{ id: 'a', why: '', paths: 'c' }] }", 'redaction.rules.0.paths'],
    [
      'a text for a pattern',
      "redaction: { rules: [{ id: 'a', why: '', pattern: 'c' }] }",
      'rules.0.pattern: a pattern is',
    ],
    ['top-level await', 'redaction: await {}', 'Take the top-level await out'],
  ])('because of %s: the program runs, unrecorded', async (_, members, place) => {
    const config = configFile(`export const reenact = { ${members} };`);
    const before = await listRuns(stage);
    const { stdout, stderr, exitCode } = await stage.node(program, { REENACT_CONFIG: config });
    expect([exitCode, stdout.includes('summary of')]).toEqual([0, true]);
    expect(stderr).toContain('bad-config');
    expect(stderr).toContain(place);
    expect(await listRuns(stage)).toHaveLength(before.length);
  });

  it('keeps a replay from starting the program', async () => {
    const REENACT_CONFIG = configFile('export const reenact = { redaction: { rules: {} } };');
    const { stderr, exitCode } = await stage.reenact(['replay', root, '--', 'node', 'app.ts'], { REENACT_CONFIG });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('redaction.rules');
    expect(stderr).not.toContain('summary of');
  });

  it('is told where it does not exist', async () => {
    const REENACT_CONFIG = join(stage.folder, 'gone.ts');
    expect((await stage.node(program, { REENACT_CONFIG })).stderr).toMatch(/bad-config There is no .*gone\.ts\. \(/);
    const { stderr, exitCode } = await stage.reenact(['replay', root, '--', 'node', 'app.ts'], { REENACT_CONFIG });
    expect([exitCode, stderr.includes('REENACT_CONFIG')]).toEqual([2, true]);
  });
});

describe('a rule of the environment that cannot be used', () => {
  const broken = { REENACT_REDACT_PATHS: 'order.amount', REENACT_REDACT_PATTERN: 'TCK-(' };

  it('leaves the program unrecorded, and keeps a replay from starting it', async () => {
    const before = await listRuns(stage);
    const recorded = await stage.node(program, broken);
    expect([recorded.exitCode, recorded.stdout.includes('summary of')]).toEqual([0, true]);
    expect(recorded.stderr).toMatch(
      /✗ bad-config REENACT_REDACT_PATTERN is no regular expression.*\(REENACT_REDACT_PATTERN\)/,
    );
    expect(recorded.stderr).toContain('is not recorded');
    // What else is wrong is told in the same go, each once.
    const others = { REENACT_SPOOL: 'never', REENACT_RECORD_DRAWS: '7', REENACT_REDACTIN: 'off' };
    const told = (await stage.node(program, { ...broken, ...others })).stderr;
    for (const said of [...Object.keys(others), 'REENACT_REDACT_PATTERN is'])
      expect([said, told.split(said).length - 1]).toEqual([said, 1]);
    expect(await listRuns(stage)).toHaveLength(before.length);
    const replay = await stage.reenact(['replay', root, '--', 'node', 'app.ts'], broken);
    expect(replay.exitCode).toBe(2);
    expect(replay.stderr).toContain('REENACT_REDACT_PATTERN');
    expect(replay.stderr).not.toContain('summary of');
  });
});

describe('a configuration that does something when it is loaded', () => {
  it('does it in the program, and is refused in a replay', async () => {
    const trace = join(stage.folder, 'trace');
    const write = `import { writeFileSync } from 'node:fs';
      if (process.argv[1]?.endsWith('app.ts')) writeFileSync(${JSON.stringify(trace)}, '');
      export const reenact = { redaction: {} };`;
    // A replay allows temporary files, and the stage lies among them.
    const environment = { REENACT_CONFIG: configFile(write), TMPDIR: mkdtempSync(join(stage.folder, 'temporary-')) };
    const { stdout, exitCode } = await stage.reenact(['replay', root, '--', 'node', 'app.ts'], environment);
    expect([exitCode, existsSync(trace), stdout.includes('summary of')]).toEqual([3, false, false]);
    expect((await stage.node(program, environment)).exitCode).toBe(0);
    expect(existsSync(trace)).toBe(true);
  });
});

import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../scenarios/run-command.ts';
import { type Stage, setStage } from '../scenarios/stage.ts';
import { listRuns } from './small-stage.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const script = 'failing-tool.ts';
let stage: Stage;
let folder: string;

/** Compiles an agent as people do who ship JavaScript: with source maps, to code whose lines are other ones. */
async function compileAgent(): Promise<void> {
  mkdirSync(join(folder, 'src'));
  copyFileSync(join(root, 'test/scenarios/small/agent/package.json'), join(folder, 'package.json'));
  copyFileSync(join(root, 'test/scenarios/small/agent', script), join(folder, 'src', script));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const flags = '--outDir dist --rootDir src --sourceMap --removeComments --noCheck --module nodenext --target es2022';
  const compiled = await runCommand([join(root, 'node_modules/.bin/tsc'), ...flags.split(' '), `src/${script}`], {
    cwd: folder,
    environment: process.env,
  });
  if (compiled.exitCode !== 0) throw new Error(compiled.stdout + compiled.stderr);
}

beforeAll(async () => {
  stage = await setStage({ agentFolder: root, environment: () => ({}) });
  folder = join(stage.folder, 'agent');
  mkdirSync(folder);
  await compileAgent();
});

afterAll(() => stage.stop());

function lineOf(file: string, text: string): number {
  return (
    readFileSync(file, 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1
  );
}

describe('a compiled agent that is run with --enable-source-maps', () => {
  it('diverges at the line of its source, not of what runs', async () => {
    const compiled = join(folder, 'dist', script.replace('.ts', '.js'));
    const source = join(folder, 'src', script);
    await stage.node(['--import', 'reenact/register', compiled]);
    const [run] = await listRuns(stage);
    const command = ['node', '--enable-source-maps', compiled];
    const replayed = await stage.reenact(['replay', run?.rootSpanId ?? '', '--json', '--', ...command], {
      ORDER_ID: '8',
    });
    const { divergences } = JSON.parse(replayed.stdout) as ReplayReport;
    const line = lineOf(source, 'await cancelOrder(');
    expect(line).not.toBe(lineOf(compiled, 'await cancelOrder('));
    expect(divergences[0]).toMatchObject({ kind: 'input-changed', source: { file: source, line } });
  });
});

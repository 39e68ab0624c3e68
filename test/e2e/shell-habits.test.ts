import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, existsSync, mkdirSync, openSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, recordRun, setSmallStage } from './small-stage.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const program = join(root, 'packages/reenact/bin/reenact.mjs');

let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

/** A copy of the package below a folder whose name has a space, as in `~/My Projects`. */
function installWithSpace(): string {
  const copy = join(stage.folder, 'my projects', 'reenact');
  mkdirSync(copy, { recursive: true });
  for (const part of ['dist', 'package.json'])
    cpSync(join(root, 'packages/reenact', part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(stage.folder, 'node_modules'));
  return pathToFileURL(join(copy, 'dist/register.js')).href;
}

describe('what people do in a shell', () => {
  it('a reader that goes away, such as head, is no crash', async () => {
    const { run } = await recordRun(stage, 'parallel.ts');
    const show = spawn(process.execPath, [program, 'show', run.rootSpanId], {
      env: { ...process.env, REENACT_COLLECTOR: stage.collectorUrl },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    show.stdout.destroy();
    const said: string[] = [];
    show.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
    const [exitCode] = await once(show, 'close');
    expect({ exitCode, said: said.join('') }).toEqual({ exitCode: 0, said: '' });
  });

  it('the command that a run is shown with is copied, and replays it', async () => {
    const { run } = await recordRun(stage, 'parallel.ts');
    const shown = await stage.reenact(['show', run.rootSpanId]);
    const command = /^replay it: reenact (.+)$/m.exec(shown.stdout)?.[1] ?? '';
    expect(command).toBe(`replay ${run.rootSpanId} -- node parallel.ts`);
    expect((await stage.reenact(command.split(' '))).exitCode).toBe(0);
    const { exitCode, stderr } = await stage.reenact(['replay', run.rootSpanId]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(command) });
  });

  it.each([
    ['npm/11.19.1 node/v24.21.0 linux x64', 'npx reenact'],
    ['pnpm/12.21.0 npm/? node/? linux x64', 'pnpm exec reenact'],
    ['yarn/4.18.1 npm/? node/v24.21.0 linux x64', 'yarn reenact'],
    ['bun/1.4.5 npm/? node/v26.3.0 linux x64', 'bunx reenact'],
    ['other/1.0.0', 'reenact'],
  ])('the command is shown as the package manager that started this one finds it: %s', async (manager, command) => {
    const { run } = await recordRun(stage, 'parallel.ts');
    const environment = { npm_config_user_agent: manager };
    const { stdout } = await stage.reenact(['show', run.rootSpanId], environment);
    expect(stdout).toContain(`\nreplay it: ${command} replay ${run.rootSpanId} -- node parallel.ts\n`);
    const { stderr } = await stage.reenact(['replay', run.rootSpanId], environment);
    expect(stderr).toContain(`as it was started when it was recorded: ${command} replay ${run.rootSpanId}`);
    expect((await stage.reenact(['list'], environment)).stderr).toContain(`Runs are listed by: \`${command} runs\``);
  });

  it('the hook in NODE_OPTIONS does not make runs of the commands of reenact itself', async () => {
    const { run } = await recordRun(stage, 'parallel.ts');
    const before = await listRuns(stage);
    const everywhere = { NODE_OPTIONS: '--import reenact/register' };
    expect((await stage.reenact(['runs'], everywhere)).exitCode).toBe(0);
    expect((await stage.reenact(['replay', run.rootSpanId, '--', 'node', 'parallel.ts'], everywhere)).exitCode).toBe(0);
    expect(await listRuns(stage)).toEqual(before);
  });

  it('a path with a space does not keep the last spans of a process from being delivered', async () => {
    const before = await listRuns(stage);
    const ended = await stage.node(['--import', installWithSpace(), 'exit-now.ts']);
    expect(ended).toEqual({ exitCode: 3, stdout: 'price 190\n', stderr: '' });
    expect(await listRuns(stage)).toHaveLength(before.length + 1);
  });
});

describe('what is no defect of the program', () => {
  async function endOf(child: ChildProcessByStdio<null, null, Readable>): Promise<{ exitCode: number; said: string }> {
    const [said, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    return { exitCode: exitCode as number, said };
  }

  it.runIf(existsSync('/dev/full'))('a full disk is said so, and the exit code says nothing else', async () => {
    const { run } = await recordRun(stage, 'parallel.ts');
    const id = run.rootSpanId;
    for (const words of [['runs'], ['export', id, '--out', '-'], ['diff', id, id]]) {
      const full = openSync('/dev/full', 'w');
      const env = { ...process.env, REENACT_COLLECTOR: stage.collectorUrl };
      const child = spawn(process.execPath, [program, ...words], { env, stdio: ['ignore', full, 'pipe'] });
      closeSync(full);
      const said = expect.stringMatching(/^✗ bad-argument [^\n]*no space[^\n]*\nMake room [^\n]*\n$/);
      expect(await endOf(child as ChildProcessByStdio<null, null, Readable>)).toEqual({ exitCode: 2, said });
    }
  });

  it.runIf(process.platform === 'linux')('a folder that was removed is said so', async () => {
    const gone = join(stage.folder, 'gone');
    mkdirSync(gone);
    const words = [process.execPath, program, 'replay', 'latest', '--entry', './a.ts#b'];
    const child = spawn('sh', ['-c', 'rmdir "$PWD" && exec "$0" "$@"', ...words], {
      cwd: gone,
      env: { ...process.env, REENACT_COLLECTOR: stage.collectorUrl },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    expect(await endOf(child)).toEqual({
      exitCode: 2,
      said: expect.stringContaining('✗ bad-argument The folder that this command was started in'),
    });
  });
});

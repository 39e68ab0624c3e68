import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ExerciseReport } from '../testdata/modules/exercise.ts';

const modules = new URL('../testdata/modules/', import.meta.url);

async function run(path: string): Promise<ExerciseReport> {
  const register = new URL('register.ts', modules).href;
  const flags = ['--conditions=@reenact/source', '--no-warnings', `--import=${register}`];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, path]);
  return JSON.parse(stdout) as ExerciseReport;
}

const reproduced: ExerciseReport = {
  recorded: [200, 'answered'],
  replayed: [200, 'answered'],
  refusals: [],
  changed: [],
  requests: [1, 2, 3],
  crossings: [1, 0, 1],
};

describe.each(['application.mjs', 'application.cjs'])('undici loaded by %s', (application) => {
  it('is recorded, replayed with no request, switched off and on again', async () => {
    expect(await run(fileURLToPath(new URL(application, modules)))).toEqual(reproduced);
  });

  it.each(['undici-6', 'undici-7'])('is so in an older version, too: %s', async (copy) => {
    const folder = await mkdtemp(join(tmpdir(), 'reenact-undici-'));
    const installed = dirname(createRequire(import.meta.url).resolve(`${copy}/package.json`));
    await cp(installed, join(folder, 'node_modules/undici'), { recursive: true });
    const text = await readFile(new URL(application, modules), 'utf8');
    const exercise = fileURLToPath(new URL('exercise.ts', modules));
    await writeFile(join(folder, application), text.replace('./exercise.ts', exercise));
    expect(await run(join(folder, application))).toEqual(reproduced);
    await rm(folder, { recursive: true });
  });
});

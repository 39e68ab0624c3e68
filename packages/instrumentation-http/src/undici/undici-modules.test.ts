import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ExerciseReport } from '../testdata/modules/exercise.ts';

const modules = new URL('../testdata/modules/', import.meta.url);

async function run(application: string): Promise<ExerciseReport> {
  const register = new URL('register.ts', modules).href;
  const flags = ['--conditions=@reenact/source', '--no-warnings', `--import=${register}`];
  const path = fileURLToPath(new URL(application, modules));
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, path]);
  return JSON.parse(stdout) as ExerciseReport;
}

describe.each(['application.mjs', 'application.cjs'])('undici loaded by %s', (application) => {
  it('is recorded, replayed with no request, switched off and on again', async () => {
    expect(await run(application)).toEqual({
      recorded: [200, 'answered'],
      replayed: [200, 'answered'],
      refusals: [],
      changed: [],
      requests: [1, 2, 3],
      crossings: [1, 0, 1],
    });
  });
});

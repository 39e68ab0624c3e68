import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExerciseReport } from './testdata/modules/exercise.ts';

const modules = new URL('./testdata/modules/', import.meta.url);
const mock = new LLMock({ port: 0 });

beforeAll(async () => {
  mock.on({ model: 'missing' }, { error: { message: 'no such model', code: 'model_not_found' }, status: 404 });
  mock.onMessage('hello', { content: 'Hi there!' });
  await mock.start();
});
afterAll(() => mock.stop());

async function run(application: string): Promise<unknown> {
  const register = new URL('register.ts', modules).href;
  const flags = ['--conditions=@reenact/source', '--no-warnings', `--import=${register}`];
  const path = fileURLToPath(new URL(application, modules));
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, path, `${mock.url}/v1`]);
  return JSON.parse(stdout);
}

describe.each(['application.mjs', 'application.cjs'])('openai loaded by %s', (application) => {
  it('is recorded, replayed as its own classes, switched off and on again', async () => {
    mock.clearRequests();
    const report = (await run(application)) as ExerciseReport;
    expect(report.replayed).toEqual(report.recorded);
    expect(report).toMatchObject({
      isOwnClass: true,
      sdk: 'openai@7.59.0',
      crossings: 5,
      afterDisable: 0,
      afterEnable: 5,
    });
    // Recording, disabled and enabled: five calls each. The replay sent none.
    expect(mock.getRequests()).toHaveLength(15);
  });
});

describe('parts of the package', () => {
  it('are patched where only they are imported', async () => {
    expect(await run('subpath.mjs')).toEqual([true, true]);
  });
});

describe('both copies of the package in one process', () => {
  it('are two classes, patched, restored and patched again together', async () => {
    expect(await run('both.mjs')).toEqual({
      areTwoClasses: true,
      loaded: [true, true],
      disabled: [false, false],
      enabled: [true, true],
    });
  });
});

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

async function run(application: string): Promise<ExerciseReport> {
  const register = new URL('register.ts', modules).href;
  const flags = ['--conditions=@reenact/source', '--no-warnings', `--import=${register}`];
  const path = fileURLToPath(new URL(application, modules));
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, path, `${mock.url}/v1`]);
  return JSON.parse(stdout) as ExerciseReport;
}

const model = 'model:openai.chat';

describe.each(['application.mjs', 'application.cjs'])('ai loaded by %s', (application) => {
  it('is recorded, replayed without a key, switched off and on again', async () => {
    mock.clearRequests();
    const report = await run(application);
    expect(report.replayed).toEqual(report.recorded);
    expect(report.recorded).toMatchObject({ text: 'Hi there!', answer: 'Hi there!', isOwn: true });
    expect(report).toMatchObject({
      sdk: 'ai@7.0.173',
      crossings: [model, 'model:openai.responses', model, 'agent:greeter', model],
      afterDisable: 0,
      afterEnable: 5,
    });
    // Recording, disabled and enabled: four calls each. The replay sent none.
    expect(mock.getRequests()).toHaveLength(12);
  });
});

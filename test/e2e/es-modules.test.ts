import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoStage, recordRun, replayAsJson, setEchoStage } from './small-stage.ts';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

// As Vitest and Vite's server import a package: resolved by themselves, then by the address of its file.
const program = `
  const byAddress = (name) => import(import.meta.resolve(name).replace(/\\?iitm.*$/, ''));
  const { OpenAI } = await byAddress('openai');
  const { generateText } = await byAddress('ai');
  const { createOpenAI } = await byAddress('@ai-sdk/openai');
  const { fetch } = await byAddress('undici');
  const messages = [{ role: 'user', content: 'hello' }];
  const answer = await new OpenAI().chat.completions.create({ model: 'gpt-5-mini', messages });
  const { text } = await generateText({ model: createOpenAI().chat('gpt-5-mini'), prompt: 'hello' });
  const models = await fetch(process.env.OPENAI_BASE_URL + '/models');
  console.log(answer.choices[0].message.content, text, models.status);
`;

let folder: string;
let stage: EchoStage;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-address-'));
  symlinkSync(modules, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'tests.mjs'), program);
  stage = await setEchoStage(folder);
});

afterAll(async () => {
  await stage.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('packages that a test runner imports by the address of their file', () => {
  it('are patched: their calls are crossings of the library, and replay', async () => {
    const { run, recorded } = await recordRun(stage, 'tests.mjs');
    const { stdout } = await stage.reenact(['show', run.rootSpanId]);
    expect(stdout.match(/model:openai\.chat/g)).toHaveLength(2);
    expect(stdout.match(/http:[A-Z]+/g)).toEqual(['http:GET']);
    const requests = stage.provider.requestCount();
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'tests.mjs');
    expect(report).toMatchObject({ verdict: 'reproduced', counts: { stubbed: 3 } });
    expect(result.stderr).toContain(recorded.stdout.trim());
    expect(stage.provider.requestCount()).toBe(requests);
  });
});

describe('a script on the command line', () => {
  it('runs as without the hook where a package of it looks for a global of such scripts', async () => {
    const code = `import { OpenAI } from 'openai'; console.log(typeof OpenAI, typeof globalThis.module?.createRequire);`;
    const words = ['--input-type=module', '--eval', code];
    const plain = await stage.node(words);
    expect(plain).toEqual({ exitCode: 0, stdout: 'function function\n', stderr: '' });
    expect(await stage.node(['--import', 'reenact/register', ...words])).toEqual(plain);
  });
});

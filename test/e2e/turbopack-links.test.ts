import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoStage, recordRun, replayAsJson, setEchoStage } from './small-stage.ts';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

// What `next build` makes of `import … from 'openai'` where `serverExternalPackages` names it: a link beside the server's code.
const links = {
  openai: 'openai-f0ed28f090f94724',
  ai: 'ai-5e7181a616786b24',
  '@ai-sdk/openai': '@ai-sdk/openai-7fca7ca0d47305ec',
};
const program = `
  const { OpenAI } = await import('${links.openai}');
  const { generateText } = await import('${links.ai}');
  const { createOpenAI } = await import('${links['@ai-sdk/openai']}');
  const messages = [{ role: 'user', content: 'hello' }];
  const answer = await new OpenAI().chat.completions.create({ model: 'gpt-5-mini', messages });
  const { text } = await generateText({ model: createOpenAI().chat('gpt-5-mini'), prompt: 'hello' });
  console.log(answer.choices[0].message.content, text);
`;

let folder: string;
let stage: EchoStage;

function link(name: string, as: string): void {
  const path = join(folder, 'node_modules', as);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(join(modules, name), path);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-links-'));
  for (const [name, as] of Object.entries({ ...links, reenact: 'reenact' })) link(name, as);
  writeFileSync(join(folder, 'chunk.mjs'), program);
  stage = await setEchoStage(folder);
});

afterAll(async () => {
  await stage.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('packages that a server built by Turbopack imports through its own links', () => {
  it('are patched: their calls are crossings of the library, and replay', async () => {
    const { run, recorded } = await recordRun(stage, 'chunk.mjs');
    const { stdout } = await stage.reenact(['show', run.rootSpanId]);
    expect(stdout.match(/model:openai\.chat/g)).toHaveLength(2);
    expect(stdout).not.toContain('http:POST');
    const requests = stage.provider.requestCount();
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'chunk.mjs');
    expect(report).toMatchObject({ verdict: 'reproduced', counts: { stubbed: 2 } });
    expect(result.stderr).toContain(recorded.stdout.trim());
    expect(stage.provider.requestCount()).toBe(requests);
  });
});

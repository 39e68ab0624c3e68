import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoStage, listRuns, setEchoStage } from './small-stage.ts';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** What an agent of another vendor does in a file that is loaded first: it replaces what a library exports. */
const watching = `
  new Hook(['openai'], (exports) => {
    const { OpenAI } = exports;
    globalThis.told = (globalThis.told ?? 0) + 1;
    exports.OpenAI = class Watched extends OpenAI {};
  });
`;
const files = {
  // Its hooks run on a thread of their own, as those of New Relic's loader do.
  'thread.mjs': (copy: string) => `
    import { register } from 'node:module';
    import { Hook } from '${copy}/index.js';
    register('${copy}/hook.mjs', import.meta.url);
    ${watching}`,
  // In the program's own, as Datadog's do.
  'beside.mjs': (copy: string) => `
    import { registerHooks } from 'node:module';
    import { createHook } from '${copy}/create-hook.mjs';
    import { Hook } from '${copy}/index.js';
    const hook = createHook({ url: import.meta.resolve('${copy}/hook.mjs') });
    hook.applyOptions({});
    registerHooks({ resolve: hook.resolveSync, load: hook.loadSync });
    ${watching}`,
};
const program = `
  import { OpenAI } from 'openai';
  import { generateText } from 'ai';
  import { createOpenAI } from '@ai-sdk/openai';
  const messages = [{ role: 'user', content: 'hello' }];
  const answer = await new OpenAI().chat.completions.create({ model: 'gpt-5-mini', messages });
  const { text } = await generateText({ model: createOpenAI().chat('gpt-5-mini'), prompt: 'hello' });
  console.log(answer.choices[0].message.content, text, OpenAI.name, globalThis.told);
`;

let folder: string;
let stage: EchoStage;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-hooks-'));
  symlinkSync(modules, join(folder, 'node_modules'));
  cpSync(join(modules, 'import-in-the-middle'), join(folder, 'vendor'), { recursive: true });
  for (const [name, written] of Object.entries(files)) {
    writeFileSync(join(folder, `other-${name}`), written('./vendor'));
    writeFileSync(join(folder, `shared-${name}`), written('./node_modules/import-in-the-middle'));
  }
  writeFileSync(join(folder, 'main.mjs'), program);
  stage = await setEchoStage(folder);
});

afterAll(async () => {
  await stage.stop();
  rmSync(folder, { recursive: true, force: true });
});

const own = ['--import', 'reenact/register'];
const cases: readonly [string, readonly string[]][] = [
  ['of another copy on a thread', [...own, '--import', './other-thread.mjs']],
  ['of another copy that come later', [...own, '--import', './other-beside.mjs']],
  ['of another copy that come first', ['--import', './other-beside.mjs', ...own]],
  ['of the same copy on a thread', [...own, '--import', './shared-thread.mjs']],
  ['of the same copy that come later', [...own, '--import', './shared-beside.mjs']],
  ['of the same copy that come first', ['--import', './shared-beside.mjs', ...own]],
];

/** As npm lays packages down where an app has another release of import-in-the-middle at the top: ours have a copy that the patches do not know. */
function layOutApart(place: string): void {
  const own = join(place, 'node_modules');
  mkdirSync(join(own, '@reenact'), { recursive: true });
  for (const name of readdirSync(modules).filter((one) => !['@reenact', 'reenact'].includes(one)))
    symlinkSync(join(modules, name), join(own, name));
  const scoped = readdirSync(join(modules, '@reenact')).map((one) => `@reenact/${one}`);
  for (const name of ['reenact', ...scoped].filter((one) => existsSync(join(modules, one, 'dist'))))
    for (const part of ['package.json', 'dist'])
      cpSync(join(modules, name, part), join(own, name, part), { recursive: true });
  const nested = join(own, '@reenact/instrumentation/node_modules/import-in-the-middle');
  cpSync(join(modules, 'import-in-the-middle'), nested, { recursive: true });
  for (const name of ['other-beside.mjs', 'shared-beside.mjs', 'vendor', 'main.mjs'])
    cpSync(join(folder, name), join(place, name), { recursive: true });
}

/** What is recorded of the program, started in `place` with these flags. */
async function crossingsOf(place: string, words: readonly string[]): Promise<{ printed: string; crossings: unknown }> {
  const before = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
  const { stdout, stderr } = await stage.node([...words, join(place, 'main.mjs')]);
  const [run, ...others] = (await listRuns(stage)).filter(({ traceId }) => !before.has(traceId));
  expect(others).toEqual([]);
  const shown = await stage.reenact(['show', run?.rootSpanId ?? '']);
  const crossings = shown.stdout.match(/(?:model|http|agent):[\w.:]+/g);
  return { printed: `${stderr}${stdout.split(' ').slice(-2).join(' ')}`, crossings };
}

const recordedOnce = ['agent:process', 'model:openai.chat', 'model:openai.chat'];

describe('beside hooks of import-in-the-middle', () => {
  it.each(cases)('%s, both patch a library, once each', async (_name, words) => {
    expect(await crossingsOf(folder, words)).toEqual({ printed: 'Watched 1\n', crossings: recordedOnce });
  });
});

describe('with a copy of import-in-the-middle of our own, which the patches do not go by', () => {
  let apart: string;
  beforeAll(() => {
    apart = join(folder, 'apart');
    layOutApart(apart);
  });

  const register = (): string[] => ['--import', join(apart, 'node_modules/reenact/dist/register.js')];
  const beside = (name: string): string[] => ['--import', join(apart, `${name}-beside.mjs`)];
  const cases: readonly [string, () => string[], string][] = [
    ['beside no others', () => register(), 'OpenAI undefined\n'],
    ['beside hooks of a third copy', () => [...register(), ...beside('other')], 'Watched 1\n'],
    ['beside hooks of the patches own copy that come later', () => [...register(), ...beside('shared')], 'Watched 1\n'],
    ['beside hooks of the patches own copy that come first', () => [...beside('shared'), ...register()], 'Watched 1\n'],
  ];

  it.each(cases)('%s, libraries are patched once', async (_name, words, printed) => {
    expect(await crossingsOf(apart, words())).toEqual({ printed, crossings: recordedOnce });
  });
});

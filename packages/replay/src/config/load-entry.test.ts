import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isReenactError, type ReenactError } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineReenact } from './config-schema.ts';
import { findConfigFile } from './find-config-file.ts';
import { loadEntry } from './load-entry.ts';

let folder: string;
let files = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-config-'));
  writeFileSync(join(folder, 'tools.mjs'), "export const place = () => 'placed';\nexport default () => 'standard';\n");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A module of its own for each case: Node.js keeps what it has loaded. */
function configFile(text: string): string {
  files += 1;
  const path = join(folder, `reenact-${files}.config.mjs`);
  writeFileSync(path, text);
  return path;
}

async function call(entries: string, exportName = 'const reenact ='): Promise<unknown> {
  const fn = await loadEntry({ config: configFile(`export ${exportName} { entries: { ${entries} } };`) }, 'tool:place');
  return Reflect.apply(fn, undefined, []);
}

async function refusal(config: string, label = 'tool:place'): Promise<ReenactError> {
  const error: unknown = await loadEntry({ config }, label).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (isReenactError(error)) return error;
  throw new TypeError(`not refused: ${String(error)}`);
}

describe('an entry', () => {
  it.each([
    ['text', "'tool:place': './tools.mjs#place'", 'placed'],
    ['text without an export, which means the default one', "'tool:place': './tools.mjs'", 'standard'],
    ['a loader', "'tool:place': () => import('./tools.mjs').then((module) => module.place)", 'placed'],
    ['a loader that gives a function at once', "'tool:place': () => () => 'at once'", 'at once'],
  ])('is %s', async (_, entries, expected) => {
    expect(await call(entries)).toBe(expected);
  });

  it.each(['const reenact =', 'const config =', 'default'])('is read from export %s', async (exportName) => {
    expect(await call("'tool:place': './tools.mjs#place'", exportName)).toBe('placed');
  });

  it('is named by file and export alone', async () => {
    const fn = await loadEntry({ reference: `${join(folder, 'tools.mjs')}#place` }, 'agent:whatever');
    expect(Reflect.apply(fn, undefined, [])).toBe('placed');
  });

  it('keeps what defineReenact was given', () => {
    const config = { entries: { 'tool:place': './tools.mjs#place' } };
    expect(defineReenact(config)).toBe(config);
  });
});

const unusable: readonly (readonly [why: string, text: string, message: RegExp, next: RegExp])[] = [
  ['an unknown key', 'export const reenact = { entrys: {} };', /entrys: there is no such key/, /keys are entries/],
  [
    'a key without a kind',
    "export const reenact = { entries: { place: './a#b' } };",
    /entries\.place: .*kind:name/,
    /keys are entries/,
  ],
  [
    'an unknown kind',
    "export const reenact = { entries: { 'robot:x': './a#b' } };",
    /robot:x: .*agent, model, tool/,
    /keys are entries/,
  ],
  [
    'another type',
    "export const config = { entries: { 'tool:place': 7 } };",
    /entries\.tool:place: an entry is/,
    /keys are entries/,
  ],
  ['a list', 'export const reenact = [];', /not valid at its top/, /keys are entries/],
  ['no configuration', 'export const other = 1;', /exports no configuration/, /It exports other\./],
  ['a module that fails', "throw new TypeError('not today');", /could not be loaded: not today/, /./],
  [
    'the function itself',
    "export default { entries: { 'tool:place': (order) => order } };",
    /takes arguments/,
    /'tool:place': \(\) => tool:place/,
  ],
  [
    'a loader that gives none',
    "export default { entries: { 'tool:place': () => 1 } };",
    /gave no function/,
    /give the exported function/,
  ],
  [
    'a loader that fails',
    "export default { entries: { 'tool:place': () => import('./gone.mjs') } };",
    /loader.*failed/,
    /./,
  ],
  [
    'no such file',
    "export default { entries: { 'tool:place': './gone.mjs#place' } };",
    /There is no .*gone\.mjs/,
    /Correct the path/,
  ],
  [
    'no such export',
    "export default { entries: { 'tool:place': './tools.mjs#plac' } };",
    /"plac".*does not exist.*"place"/,
    /Name one of: place, default/,
  ],
];

describe('a configuration that cannot be used', () => {
  it.each(unusable)('because of %s', async (_, text, message, next) => {
    const config = configFile(text);
    const error = await refusal(config);
    expect(error.code).toBe('bad-config');
    expect(error.message).toMatch(message);
    expect(error.where).toContain(config);
    expect(error.next).toMatch(next);
  });

  it('has no such entry: the line to add and the closest one', async () => {
    const error = await refusal(configFile("export default { entries: { 'tool:plce': './tools.mjs' } };"));
    expect(error.code).toBe('unsupported');
    expect(error.next).toContain("entries: { 'tool:place': './<file>#<exported function>' }");
    expect(error.next).toContain('tool:plce');
  });

  it.each(['constructor', '__proto__'])('does not take %s of Object for an entry', async (name) => {
    expect((await refusal(configFile('export default { entries: {} };'), name)).code).toBe('unsupported');
  });
});

describe('finding a configuration', () => {
  it('looks upwards, the nearest first, TypeScript before JavaScript', () => {
    const deep = join(folder, 'a', 'b');
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(folder, 'reenact.config.js'), '');
    expect(findConfigFile(deep)).toBe(join(folder, 'reenact.config.js'));
    writeFileSync(join(folder, 'a', 'reenact.config.mjs'), '');
    expect(findConfigFile(deep)).toBe(join(folder, 'a', 'reenact.config.mjs'));
    writeFileSync(join(folder, 'a', 'reenact.config.ts'), '');
    expect(findConfigFile(deep)).toBe(join(folder, 'a', 'reenact.config.ts'));
  });
});

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const hook = pathToFileURL(join(root, 'packages/reenact/dist/register.js')).href;
const library = pathToFileURL(join(root, 'packages/reenact/dist/index.js')).href;

/**
 * Makes this Node.js say that it is an older one or another runtime, and tells as JSON at the exit which files of ours were loaded. Bun has
 * a \`node:module\` without hooks, and Node.js 20 lacks more: an import of a name that is not there fails before a line of the importing file runs.
 */
const witness = `
import * as modules from 'node:module';
const { registerHooks } = modules;
const urls = [];
const isLacking = (name) => /^(registerHooks|getCallSites|module\\.exports)$|zstd/i.test(name);
const lackingModules = new Map();
for (const module of ['node:module', 'node:util', 'node:zlib']) {
  const names = Object.keys(await import(module)).filter((name) => !isLacking(name));
  lackingModules.set(module, "export { " + names.join(', ') + " } from '" + module + "';");
}
registerHooks({
  resolve(specifier, context, nextResolve) {
    const isOther = process.versions.bun !== undefined || process.versions.node.startsWith('20.');
    const lacking = isOther && context.parentURL?.includes('/packages/') ? lackingModules.get(specifier) : undefined;
    return lacking === undefined ? nextResolve(specifier, context) : { url: 'data:text/javascript,' + encodeURIComponent(lacking), shortCircuit: true };
  },
  load(url, context, nextLoad) { if (url.includes('/packages/')) urls.push(url); return nextLoad(url, context); },
});
Object.defineProperty(process, 'versions', { value: { ...process.versions, ...JSON.parse(process.env.PRETENDED) } });
process.once('exit', () => process.stdout.write(JSON.stringify(urls)));
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-old-node-'));
  writeFileSync(join(folder, 'witness.mjs'), witness);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hookedHost = ['--import', hook, '--input-type=module', '--eval', `console.log('the host ran');`];

const wrappingApp = [
  '--input-type=module',
  '--eval',
  `import { tool } from ${JSON.stringify(library)}; console.log(await tool('add', async (a) => a + 1)(1));`,
];

function startOn(
  versions: string | Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv = {},
  program: readonly string[] = hookedHost,
): ReturnType<typeof spawnSync> {
  const flags = ['--import', pathToFileURL(join(folder, 'witness.mjs')).href];
  const pretended = JSON.stringify(typeof versions === 'string' ? { node: versions } : versions);
  const env = { PATH: process.env.PATH, REENACT_SPOOL_DIR: folder, PRETENDED: pretended, ...environment };
  return spawnSync(process.execPath, [...flags, ...program], { env, encoding: 'utf8', timeout: 60_000 });
}

describe('the hook on a Node.js that is too old', () => {
  it.each(['20.20.2', '22.18.0'])(
    'says so on %s, loads nothing that could not be read, and lets the host run',
    (version) => {
      const { status, stdout, stderr } = startOn(version);
      expect(status).toBe(0);
      expect(stderr).toBe(
        `reenact: Node.js 22.19 or newer is needed, and this is ${version}. This process runs on and is not recorded.\n`,
      );
      expect(stdout).toBe(`the host ran\n${JSON.stringify([hook])}`);
    },
  );

  it('runs an app on, unrecorded, that imports what wraps its calls', () => {
    const { status, stdout, stderr } = startOn('20.20.2', {}, ['--import', hook, ...wrappingApp]);
    expect([status, stderr]).toEqual([0, expect.stringContaining('This process runs on and is not recorded.')]);
    expect(stdout).toMatch(/^2\n/);
  });

  it('lets nothing run live in a replay', () => {
    const { status, stdout, stderr } = startOn('20.20.2', { REENACT_REPLAY: folder });
    expect(status).toBe(2);
    expect(stderr).toContain('Nothing was replayed.');
    expect(stdout).not.toContain('the host ran');
    expect(readFileSync(join(folder, 'refused.txt'), 'utf8')).toMatch(
      /^Node\.js 22\.19 or newer is needed.*20\.20\.2\.$/,
    );
  });

  it('records on the oldest that is new enough', () => {
    const { status, stdout, stderr } = startOn('22.19.0');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('register-process.js');
  });
});

describe('another runtime, whatever Node.js it says it is', () => {
  const others = [
    ['Bun 1.4.5', { node: '26.3.0', bun: '1.4.5' }],
    ['Deno 2.9.6', { node: '26.3.0', deno: '2.9.6' }],
  ] as const;

  it.each(others)('is told by the hook that it is not recorded, and lets the host run: %s', (name, versions) => {
    const { status, stdout, stderr } = startOn(versions);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `reenact: Node.js 22.19 or newer is needed, and this is ${name}. This process runs on and is not recorded.\n`,
    });
    expect(stdout).toBe(`the host ran\n${JSON.stringify([hook])}`);
  });

  it.each(others)('runs nothing for real in a replay: %s', (_name, versions) => {
    const { status, stdout, stderr } = startOn(versions, { REENACT_REPLAY: folder });
    expect([status, stderr]).toEqual([2, expect.stringContaining('Nothing was replayed.')]);
    expect(stdout).not.toContain('the host ran');
  });

  it.each(others)('runs an app that imports what wraps its calls: %s', (_name, versions) => {
    const { status, stdout, stderr } = startOn(versions, {}, wrappingApp);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^2\n/);
  });
});

describe('the command on a Node.js that is too old', () => {
  const command = join(root, 'packages/reenact/bin/reenact.mjs');

  it.each([['collect'], ['replay', '0123456789abcdef'], ['--version']])(
    '%s says so, and does nothing else',
    (...words) => {
      const { status, stdout, stderr } = startOn('20.20.2', {}, [command, ...words]);
      expect(stderr).toBe(
        '✗ Node.js 22.19 or newer is needed, and this is 20.20.2.\nInstall a newer one, or put it first in PATH.\n',
      );
      expect([status, stdout]).toEqual([2, JSON.stringify([pathToFileURL(command).href])]);
    },
  );
});

describe('the hook of an installation that lacks a part', () => {
  function startIncomplete(environment: NodeJS.ProcessEnv = {}): ReturnType<typeof spawnSync> {
    const own = mkdtempSync(join(folder, 'incomplete-'));
    writeFileSync(join(own, 'package.json'), '{ "type": "module" }');
    copyFileSync(fileURLToPath(hook), join(own, 'register.js'));
    writeFileSync(join(own, 'register-process.js'), `import 'a-package-that-is-not-there';`);
    const program = [...hookedHost].map((one) => (one === hook ? pathToFileURL(join(own, 'register.js')).href : one));
    const env = { PATH: process.env.PATH, ...environment };
    return spawnSync(process.execPath, program, { env, encoding: 'utf8', timeout: 60_000 });
  }

  it('says so, and lets the host run', () => {
    const { status, stdout, stderr } = startIncomplete();
    expect(stderr).toMatch(/^reenact: it could not be loaded: .*a-package-that-is-not-there.* is not recorded\.\n$/s);
    expect([status, stdout]).toEqual([0, 'the host ran\n']);
  });

  it('lets nothing run live in a replay', () => {
    const { status, stdout, stderr } = startIncomplete({ REENACT_REPLAY: folder });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Nothing was replayed.');
  });
});

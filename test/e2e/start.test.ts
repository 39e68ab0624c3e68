import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const hook = pathToFileURL(join(root, 'packages/reenact/dist/register.js')).href;
const bin = join(root, 'packages/reenact/bin/reenact.mjs');

/** Tells, as JSON on stderr at the exit, which modules were loaded; before any of them is. */
const witness = `
import { registerHooks } from 'node:module';
const urls = [];
registerHooks({ load(url, context, nextLoad) { urls.push(url); return nextLoad(url, context); } });
process.once('exit', () => process.stderr.write(JSON.stringify(urls)));
`;

const replaying = /packages\/replay\/dist\/index\.js$/;
const heavy = /node_modules\/(zod|protobufjs|@grpc\/grpc-js)\//;

/** What a start may load: each file is looked for, read and linked before the program's first line. */
const MODULES_MAX = 430;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-start-'));
  writeFileSync(join(folder, 'witness.mjs'), witness);
  writeFileSync(join(folder, 'app.mjs'), 'process.exit(0);');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function modulesLoadedBy(parameters: readonly string[], environment: NodeJS.ProcessEnv = {}): string[] {
  const { PATH } = process.env;
  const { stderr, status } = spawnSync(
    process.execPath,
    ['--import', pathToFileURL(join(folder, 'witness.mjs')).href, ...parameters],
    { cwd: root, env: { PATH, REENACT_SPOOL_DIR: join(folder, 'spool'), ...environment }, encoding: 'utf8' },
  );
  expect(status, stderr).toBe(0);
  return JSON.parse(stderr.slice(stderr.indexOf('['))) as string[];
}

describe('starting', () => {
  it('a health check loads the settings and no collector: supervisors run it every few seconds', () => {
    const witnessed = ['--import', pathToFileURL(join(folder, 'witness.mjs')).href, bin, 'health', '--http-port', '1'];
    const { stderr } = spawnSync(process.execPath, witnessed, { env: { PATH: process.env.PATH }, encoding: 'utf8' });
    const urls = JSON.parse(stderr.slice(stderr.indexOf('["'))) as string[];
    expect(urls.some((url) => url.endsWith('/collector/dist/config.js'))).toBe(true);
    const needless = /node_modules\/(protobufjs|@grpc|@opentelemetry)\/|collector\/dist\/(collector|store)\b/;
    expect(urls.filter((url) => needless.test(url))).toEqual([]);
  });

  it('a process whose configuration is named loads what reads it, and nothing else that replays', () => {
    const config = join(folder, 'reenact.config.mjs');
    writeFileSync(config, `export const reenact = { redaction: { personal: ['email'] } };`);
    const urls = modulesLoadedBy(['--import', hook, join(folder, 'app.mjs')], { REENACT_CONFIG: config });
    expect(urls).toContain(pathToFileURL(config).href);
    expect(urls.filter((url) => replaying.test(url))).toEqual([]);
  });

  it('a process that only records loads nothing that replays or parses recordings', () => {
    const urls = modulesLoadedBy(['--import', hook, join(folder, 'app.mjs')]);
    expect(urls.length).toBeGreaterThan(200);
    // Most are OpenTelemetry's: one copy of each of its packages, and of ours one file or two.
    expect(urls.length).toBeLessThan(MODULES_MAX);
    expect(urls.filter((url) => replaying.test(url) || heavy.test(url))).toEqual([]);
  });

  it('a process that only records leaves the undici inside Node.js to the app, whose own would find its agent taken', () => {
    const agent = `globalThis[Symbol.for('undici.globalDispatcher.1')]`;
    const code = `process.exit(${agent} === undefined ? 0 : 1);`;
    expect(modulesLoadedBy(['--import', hook, '--input-type=module', '--eval', code]).length).toBeGreaterThan(200);
  });

  it('a program that imports the wrappers does not load what replays either', () => {
    const code = `import { tool } from 'reenact'; process.exit(tool === undefined ? 1 : 0);`;
    const urls = modulesLoadedBy(['--input-type=module', '--eval', code]);
    expect(urls.some((url) => url.endsWith('/packages/reenact/dist/index.js'))).toBe(true);
    expect(urls.filter((url) => replaying.test(url) || heavy.test(url))).toEqual([]);
  });

  it('a process in which replays may come in has what replays in place before its first line', () => {
    const urls = modulesLoadedBy(['--import', hook, join(folder, 'app.mjs')], {
      REENACT_REPLAY_ALLOW: 'shared',
      REENACT_REPLAY_KEY: Buffer.alloc(32, 7).toString('base64'),
    });
    expect(urls.some((url) => replaying.test(url))).toBe(true);
  });

  it('a command loads itself, and no collector where it is none', () => {
    const urls = modulesLoadedBy([bin, 'runs', '--help']);
    expect(urls.some((url) => url.endsWith('/commands/runs.js'))).toBe(true);
    expect(urls.filter((url) => /\/commands\/(replay|collect)\.js$|\/collector\/dist\//.test(url))).toEqual([]);
  });
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const hook = pathToFileURL(join(root, 'packages/reenact/dist/register.js')).href;

/** Makes the first request of a process, and tells what was loaded and which realms were made from the call to the end of its answer. */
const program = `
import { createServer, request } from 'node:http';
import { registerHooks } from 'node:module';
import { text } from 'node:stream/consumers';
import { getHeapStatistics } from 'node:v8';

const requests = {
  fetch: async (url) => (await fetch(url, { method: 'POST', body: '{}' })).text(),
  http: async (url) =>
    text(await new Promise((resolve, reject) => {
      request(url, { method: 'POST' }, resolve).on('error', reject).end('{}');
    })),
};
const server = createServer((incoming, response) => incoming.resume().on('end', () => response.end('{"ok":true}')));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const realms = () => getHeapStatistics().number_of_native_contexts;
const realmsBefore = realms();
const loaded = [];
const hooks = registerHooks({ load(url, context, nextLoad) { loaded.push(url); return nextLoad(url, context); } });
const answer = await requests[process.argv[2]]('http://127.0.0.1:' + server.address().port + '/');
hooks.deregister();
process.stdout.write(JSON.stringify({ answer, loaded, realmsMade: realms() - realmsBefore }));
process.exit(0);
`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-first-request-'));
  writeFileSync(join(folder, 'app.mjs'), program);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(['fetch', 'http'])('the first request by %s loads no module and makes no realm (docs/adr/0030)', (client) => {
  const { PATH } = process.env;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--import', hook, join(folder, 'app.mjs'), client], {
    cwd: root,
    env: { PATH, REENACT_SPOOL_DIR: join(folder, 'spool') },
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ answer: '{"ok":true}', loaded: [], realmsMade: 0 });
});

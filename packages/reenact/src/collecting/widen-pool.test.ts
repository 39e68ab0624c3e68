import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { widenPool } from './widen-pool.ts';

const places = ['file:///a/', 'https://bucket.example/', 'file:///b/'];
const HUNG_MS = 60_000;

function poolWith(allow: string[], environment: NodeJS.ProcessEnv = {}): string | undefined {
  widenPool(environment, { allow, bytesMax: 1, timeoutMs: 1 });
  return environment.UV_THREADPOOL_SIZE;
}

it('gives each folder threads of its own, beside the four that there are', () => {
  expect(poolWith(places)).toBe('10');
  expect(poolWith(['https://bucket.example/'])).toBeUndefined();
  expect(poolWith(places, { UV_THREADPOOL_SIZE: '5' })).toBe('5');
});

it.skipIf(process.platform === 'win32')(
  'is in time where modules are loaded already: what hangs leaves others room',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'reenact-pool-'));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const program = `
    import { writeSync } from 'node:fs';
    import { readFile } from 'node:fs/promises';
    const { widenPool } = await import(process.argv[1]);
    widenPool(process.env, { allow: ${JSON.stringify(places)} });
    // Who opens a pipe waits for somebody who writes to it, as who reads a network's disk does for its server.
    for (let held = 0; held < 6; held += 1) readFile(process.argv[2]);
    writeSync(1, await readFile(process.argv[3], 'utf8'));
    process.kill(process.pid, 'SIGKILL');`;
    const here = fileURLToPath(import.meta.url);
    const given = [fileURLToPath(new URL('./widen-pool.ts', import.meta.url)), pipe, here];
    const environment = { ...process.env, UV_THREADPOOL_SIZE: undefined };
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program, ...given], {
      encoding: 'utf8',
      env: environment,
      timeout: HUNG_MS,
      killSignal: 'SIGKILL',
    });
    rmSync(folder, { recursive: true });
    expect(stdout).toContain('is in time where modules are loaded already');
  },
);

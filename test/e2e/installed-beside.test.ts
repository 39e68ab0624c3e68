import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-installed-beside-'));
  mkdirSync(join(folder, 'packed'));
  const { stdout } = await run('npm', ['query', '.workspace'], { cwd: root });
  const workspaces = JSON.parse(stdout) as { private?: boolean; location: string }[];
  const flags = workspaces.filter((one) => one.private !== true).flatMap(({ location }) => ['--workspace', location]);
  const parameters = ['pack', '--silent', '--ignore-scripts', '--pack-destination', join(folder, 'packed'), ...flags];
  await run('npm', parameters, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lets npm work out where everything would lie; nothing of it is downloaded but what packages say of themselves. */
async function resolve(app: string, added: readonly string[]): Promise<void> {
  const parameters = ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', ...added];
  await run('npm', parameters, { cwd: app });
}

/** A package that takes the exporter of its host where there is one, but only an older one: `@mistralai/mistralai` 2.7 does. */
async function packedPeer(): Promise<string> {
  const place = join(folder, 'client');
  mkdirSync(place);
  const exporter = '@opentelemetry/exporter-trace-otlp-http';
  const manifest = {
    name: 'client-with-an-older-peer',
    version: '1.0.0',
    peerDependencies: { [exporter]: '^0.220.0', '@opentelemetry/resources': '^2.9.0' },
    peerDependenciesMeta: { [exporter]: { optional: true }, '@opentelemetry/resources': { optional: true } },
  };
  writeFileSync(join(place, 'package.json'), JSON.stringify(manifest));
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: place });
  return join(folder, 'client-with-an-older-peer-1.0.0.tgz');
}

it('is installed beside a client that asks for an older exporter of OpenTelemetry', async () => {
  const app = join(folder, 'app');
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'app', version: '1.0.0' }));
  await resolve(app, [await packedPeer()]);
  const ours = readdirSync(join(folder, 'packed')).map((name) => join(folder, 'packed', name));
  // npm ends with an error where it finds no place for a package.
  await expect(resolve(app, ours)).resolves.toBeUndefined();
}, 180_000);

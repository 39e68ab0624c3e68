import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** How long making one environment may take, milliseconds. */
const INSTALL_MS_MAX = 300_000;

/** A Python environment with exactly what a requirements file pins. */
export interface PythonEnvironment {
  /** Path of its interpreter. */
  readonly python: string;
  /** Path of OpenTelemetry's launcher, which instruments an unmodified program. */
  readonly launcher: string;
}

function runs(program: string, parameters: readonly string[]): boolean {
  return spawnSync(program, parameters, { stdio: 'ignore' }).status === 0;
}

/** What this machine lacks to run Python agents; undefined where it lacks nothing. */
export function missingPython(): string | undefined {
  if (!runs('python3', ['--version'])) return 'python3 is not installed';
  if (!runs('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))'])) return 'python3 is older than 3.10';
  if (!runs('python3', ['-c', 'import venv, ensurepip'])) return 'python3 has no venv and pip';
  return undefined;
}

function cacheFolder(): string {
  const { XDG_CACHE_HOME: cache } = process.env;
  return join(cache === undefined || cache === '' ? join(homedir(), '.cache') : cache, 'reenact', 'interop');
}

function install(program: string, parameters: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(program, parameters, {
    encoding: 'utf8',
    timeout: INSTALL_MS_MAX,
  });
  if (status === 0) return;
  throw new Error(`${program} ${parameters.join(' ')} failed: ${error?.message ?? ''}${stdout ?? ''}${stderr ?? ''}`);
}

/**
 * Makes a virtual environment outside the repository, once per requirements file and Python; later runs find it there. One
 * that was left half made has no stamp and is made again.
 */
export function pythonEnvironment(requirements: string): PythonEnvironment {
  const file = new URL(requirements, import.meta.url).pathname;
  const version = spawnSync('python3', ['--version'], { encoding: 'utf8' }).stdout;
  const digest = createHash('sha256').update(version).update(readFileSync(file)).digest('hex').slice(0, 16);
  const folder = join(cacheFolder(), `python-${digest}`);
  const stamp = join(folder, 'complete');
  const python = join(folder, 'bin', 'python');
  if (!existsSync(stamp)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    install('python3', ['-m', 'venv', folder]);
    install(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', file]);
    writeFileSync(stamp, '');
  }
  return { python, launcher: join(folder, 'bin', 'opentelemetry-instrument') };
}

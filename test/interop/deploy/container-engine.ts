import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** How long one command of the engine may take, milliseconds: a build installs every package. */
const COMMAND_MS_MAX = 12 * 60 * 1_000;
const PRINTED_BYTES_MAX = 64 * 1024 * 1024;

/** How a command of the engine ended. */
export interface EngineResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What runs containers on this machine: Docker where its engine answers, else Podman. */
export interface ContainerEngine {
  /** Name and version, for the names of tests. */
  readonly name: string;
  /** Runs a command to its end, whatever that is. */
  attempt(args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<EngineResult>;
  /** Runs a command; gives what it printed, and rejects with all of that where it failed. */
  run(args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<string>;
  /** Runs a command of Compose likewise. */
  compose(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<string>;
}

function answers(program: string, ...args: string[]): string | undefined {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', timeout: 30_000 });
  return status === 0 ? stdout.trim() : undefined;
}

function hardLimit(name: string, most: number): number {
  const [, value = ''] =
    new RegExp(`^Max ${name}\\s+\\S+\\s+(\\S+)`, 'm').exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return Math.min(Number(value) || most, most);
}

/**
 * Settings under which Podman works as root in a machine that is a container itself: no limit above what this process may have, images in
 * a folder of ours, builds without namespaces of their own, health checks kept.
 */
function podmanEnvironment(): NodeJS.ProcessEnv {
  const { XDG_CACHE_HOME: cache } = process.env;
  const root = join(cache === undefined || cache === '' ? join(homedir(), '.cache') : cache, 'reenact', 'containers');
  mkdirSync(root, { recursive: true });
  const engine = join(root, 'containers.conf');
  const storage = join(root, 'storage.conf');
  const limits = [`nofile=${hardLimit('open files', 20_000)}`, `nproc=${hardLimit('processes', 4_096)}`];
  const ulimits = limits.map((limit) => `"${limit}:${limit.split('=')[1]}"`).join(', ');
  const runtime = answers('runc', '--version') === undefined ? '' : 'runtime = "runc"\n';
  writeFileSync(engine, `[engine]\n${runtime}events_logger = "file"\n[containers]\ndefault_ulimits = [${ulimits}]\n`);
  const places = `graphroot = "${join(root, 'storage')}"\nrunroot = "${join(tmpdir(), 'reenact-containers')}"\n`;
  writeFileSync(storage, `[storage]\ndriver = "overlay"\n${places}`);
  return {
    CONTAINERS_CONF: engine,
    CONTAINERS_STORAGE_CONF: storage,
    BUILDAH_ISOLATION: 'chroot',
    BUILDAH_FORMAT: 'docker',
  };
}

function makeEngine(
  name: string,
  program: string,
  compose: readonly string[],
  settings: NodeJS.ProcessEnv,
): ContainerEngine {
  const start = (command: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<EngineResult> =>
    new Promise((resolve) => {
      const options = {
        env: { ...process.env, ...settings, ...environment },
        timeout: COMMAND_MS_MAX,
        maxBuffer: PRINTED_BYTES_MAX,
      };
      execFile(command, args, options, (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        resolve({
          exitCode: typeof code === 'number' ? code : 1,
          stdout,
          stderr: `${stderr}${error?.killed ? 'out of time' : ''}`,
        });
      });
    });
  const mustRun = async (command: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<string> => {
    const { exitCode, stdout, stderr } = await start(command, args, environment);
    if (exitCode === 0) return stdout;
    throw new Error(
      `${command} ${args.join(' ')} ended with ${exitCode}: ${stdout.slice(-2_000)}${stderr.slice(-2_000)}`,
    );
  };
  const [composeProgram = program, ...composeArgs] = compose;
  return {
    name,
    attempt: (args, environment = {}) => start(program, args, environment),
    run: (args, environment = {}) => mustRun(program, args, environment),
    compose: (args, environment) => mustRun(composeProgram, [...composeArgs, ...args], environment),
  };
}

/** The engine of this machine; undefined where there is none, and whoever needs it is left out by name. */
export function findContainerEngine(): ContainerEngine | undefined {
  if (process.platform !== 'linux') return undefined;
  const docker = answers('docker', 'info', '--format', '{{.ServerVersion}}');
  if (docker !== undefined && answers('docker', 'compose', 'version') !== undefined)
    return makeEngine(`Docker ${docker}`, 'docker', ['docker', 'compose'], {});
  const podman = answers('podman', '--version');
  if (podman === undefined || process.getuid?.() !== 0 || answers('which', 'podman-compose') === undefined)
    return undefined;
  return makeEngine(podman, 'podman', ['podman-compose'], podmanEnvironment());
}

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const repository = new URL('../../..', import.meta.url).pathname;
const room = new URL('room.sh', import.meta.url).pathname;

/** What leads to registries from this machine, and makes them trusted; a build anywhere else needs none of it. */
const NETWORK_VARIABLES = /^(?:npm_config_|https?_proxy$|no_proxy$|ssl_cert_|node_extra_ca_certs$)/i;

/** How something that was run in the room ended. */
export interface Ended {
  readonly exitCode: number | null;
  readonly printed: string;
}

/** A process that runs in the room. */
export interface RoomProcess {
  readonly child: ChildProcess;
  printed(): string;
  readonly ended: Promise<Ended>;
}

/** Whether this machine lets us make rooms: Linux, root, and the programs of util-linux and iproute2. */
export function canMakeRooms(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const programs = ['unshare', 'nsenter', 'setpriv', 'ip', 'chroot'];
  if (programs.some((program) => spawnSync('which', [program]).status !== 0)) return false;
  return spawnSync('unshare', ['-m', '-n', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt && ip link set lo up']).status === 0;
}

/**
 * Stands for an image where there is no engine of containers: what a Dockerfile says is run on this machine, each time in a file system,
 * and where asked a network, of its own.
 */
export class ImageRoom {
  private readonly folder = mkdtempSync(join(tmpdir(), 'reenact-image-'));
  private readonly root = join(this.folder, 'root');
  private readonly tree = join(this.folder, 'tree');
  private readonly node = join(this.folder, 'node');

  /** Copies what a build is given of this repository: everything that git would track. */
  constructor() {
    for (const folder of [this.root, this.tree, join(this.node, 'bin')]) mkdirSync(folder, { recursive: true });
    cpSync(process.execPath, join(this.node, 'bin', 'node'));
    const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
    const files = execFileSync('git', list, { cwd: repository });
    const packed = execFileSync('tar', ['-c', '--null', '--ignore-failed-read', '-T', '-'], {
      cwd: repository,
      input: files,
      maxBuffer: 2 ** 30,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    execFileSync('tar', ['-x', '--no-same-owner'], { cwd: this.tree, input: packed });
  }

  /** Starts a command; with a network of its own nobody outside reaches it, and it reaches nobody. */
  start(command: readonly string[], environment: NodeJS.ProcessEnv, network: 'own' | 'shared'): RoomProcess {
    const own = network === 'own' ? ['-n'] : [];
    const inRoom = ['sh', room, this.root, this.tree, this.node, ...command];
    const child = spawn('unshare', ['-m', ...own, ...inRoom], {
      env: withPath(environment),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return follow(child);
  }

  /** Runs a command beside a process, in its file system and network, to the end. */
  beside({ child }: RoomProcess, command: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const place = ['-t', String(child.pid), '--mount', '--net', '--root', '--wd=/'];
    const other = spawn('nsenter', [...place, ...command], {
      env: withPath(environment),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return follow(other).ended;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function withPath(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const network = Object.entries(process.env).filter(([name]) => NETWORK_VARIABLES.test(name));
  const path = `/node/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:${dirname(process.execPath)}`;
  return { HOME: '/root', PATH: path, ...Object.fromEntries(network), ...environment };
}

function follow(child: ChildProcess): RoomProcess {
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode: exitCode as number | null, printed }));
  return { child, printed: () => printed, ended };
}

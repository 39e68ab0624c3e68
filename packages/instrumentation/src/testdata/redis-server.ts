import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printedBy } from '../testing/printed-by.ts';

/** Whether this machine has one. */
export function hasRedisServer(): boolean {
  try {
    execFileSync('redis-server', ['--version']);
    return true;
  } catch {
    return false;
  }
}

/** A server of its own, behind a socket in its folder. */
export class RedisServer {
  readonly url: string;
  private readonly child: ChildProcess;
  private readonly folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.child = child;
    this.folder = folder;
  }

  static async start(): Promise<RedisServer> {
    const folder = mkdtempSync(join(tmpdir(), 'reenact-redis-'));
    const path = join(folder, 'redis.sock');
    const flags = ['--port', '0', '--unixsocket', path, '--dir', folder, '--save', ''];
    const child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'pipe'] });
    await printedBy(child, /ready to accept/i);
    return new RedisServer(path, child, folder);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await ended;
    rmSync(this.folder, { recursive: true });
  }
}

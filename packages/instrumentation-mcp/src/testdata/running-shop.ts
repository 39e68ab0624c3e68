import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printedBy } from '@reenact/instrumentation/testing';

const program = fileURLToPath(new URL('serve-shop.ts', import.meta.url));

/** Where the shop of one test runs, and what it did to the world. */
export class RunningShop {
  /** For the stdio transport. */
  readonly command: { readonly command: string; readonly args: string[] };
  private readonly folder = mkdtempSync(join(tmpdir(), 'reenact-mcp-'));
  private child: ChildProcess | undefined;

  constructor() {
    const flags = ['--conditions=@reenact/source', '--no-warnings'];
    this.command = { command: process.execPath, args: [...flags, program, 'stdio', this.effectsPath] };
  }

  private get effectsPath(): string {
    return join(this.folder, 'effects.txt');
  }

  /** What tools did to the world. */
  get effects(): string {
    return existsSync(this.effectsPath) ? readFileSync(this.effectsPath, 'utf8') : '';
  }

  /** Starts the HTTP server and gives its address. */
  async listen(): Promise<URL> {
    const { command, args } = this.command;
    const child = spawn(command, args.map((item) => (item === 'stdio' ? 'http' : item)), { stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    const [, port] = await printedBy(child, /^(\d+)\s*\n/);
    return new URL(`http://127.0.0.1:${port}/mcp`);
  }

  /** Ends the HTTP server, without a chance to say goodbye. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true });
  }
}

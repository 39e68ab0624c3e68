import { tmpdir } from 'node:os';
import { resolve, sep } from 'node:path';
import type { AttemptedEffect } from './attempted-effect.ts';
import type { GuardOptions } from './guard-options.ts';
import { isOwnServer } from './own-servers.ts';
import { realPath } from './real-path.ts';
import { isCompiler, isToolPipe } from './source-tools.ts';

/** Written to by every program: what goes there is seen or gone, and changes nothing. */
const outputs = new Set([
  '/dev/null',
  '/dev/tty',
  '/dev/stdout',
  '/dev/stderr',
  '/dev/fd/1',
  '/dev/fd/2',
  '/proc/self/fd/1',
  '/proc/self/fd/2',
  '\\\\.\\nul',
]);

interface HostRule {
  readonly name: string;
  readonly port: number | undefined;
}

function hostRule(text: string): HostRule {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text);
  // Several colons without brackets: an IPv6 address without a port.
  if (match === null) return { name: text.toLowerCase(), port: undefined };
  const [, address, name, port] = match;
  return { name: (address ?? name ?? '').toLowerCase(), port: port === undefined ? undefined : Number(port) };
}

function matchesHost(rule: HostRule, host: string, port: number | undefined): boolean {
  // A name is looked up before a port is known.
  if (rule.port !== undefined && port !== undefined && rule.port !== port) return false;
  const name = host.toLowerCase();
  return rule.name.startsWith('*.') ? name.endsWith(rule.name.slice(1)) : name === rule.name;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** What effects happen in a replay although no boundary covers them. */
export class AllowList {
  private readonly hosts: readonly HostRule[];
  private readonly folders: readonly string[];
  private readonly pipes: readonly string[];
  private readonly temporary = realPath(tmpdir());

  /** `directory`: the replay's own, where there is one. */
  constructor(options: GuardOptions, directory?: string) {
    this.hosts = options.allowHosts.map(hostRule);
    this.pipes = options.allowPaths.map((path) => realPath(resolve(path)));
    const own = directory === undefined ? [] : [realPath(resolve(directory))];
    this.folders = [this.temporary, ...own, ...this.pipes];
  }

  /** Whether an effect may happen. */
  allows(effect: AttemptedEffect): boolean {
    switch (effect.type) {
      case 'file':
        return effect.paths.every((path) => path !== undefined && this.allowsPath(path));
      case 'host':
        return this.allowsHost(effect.host, effect.port);
      case 'pipe':
        // Services put their sockets into the folder for temporary files: only what is named counts.
        return (
          isToolPipe(effect.path, this.temporary) || this.pipes.some((folder) => isBelow(realPath(effect.path), folder))
        );
      case 'program':
        return isCompiler(effect.target);
    }
  }

  private allowsPath(path: string): boolean {
    return outputs.has(path.toLowerCase()) || this.folders.some((folder) => isBelow(path, folder));
  }

  private allowsHost(host: string, port: number | undefined): boolean {
    if (port !== undefined && isOwnServer(host, port)) return true;
    return this.hosts.some((rule) => matchesHost(rule, host, port));
  }
}

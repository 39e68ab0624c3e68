import { tmpdir } from 'node:os';
import { resolve, sep } from 'node:path';
import type { AttemptedEffect } from './attempted-effect.ts';
import type { GuardOptions } from './guard-options.ts';
import { isOwnServer } from './own-servers.ts';
import { isOutput, realPath } from './real-path.ts';
import { isCompiler, isToolPipe } from './source-tools.ts';

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
  private readonly named: readonly string[];
  private readonly temporary = realPath(tmpdir());

  /** `directory`: the replay's own, where there is one. */
  constructor(options: GuardOptions, directory?: string) {
    this.hosts = options.allowHosts.map(hostRule);
    this.named = options.allowPaths.map((path) => realPath(resolve(path)));
    const own = directory === undefined ? [] : [realPath(resolve(directory))];
    this.folders = [this.temporary, ...own, ...this.named];
  }

  /** Whether an effect may happen. */
  allows(effect: AttemptedEffect): boolean {
    switch (effect.type) {
      case 'file':
        return effect.paths.every((path) => path !== undefined && this.allowsPath(path));
      case 'host':
        return this.allowsHost(effect.host, effect.port);
      case 'pipe':
        return this.allowsPipe(realPath(effect.path));
      case 'program':
        return isCompiler(effect.target);
    }
  }

  private allowsPath(path: string): boolean {
    return isOutput(path) || this.folders.some((folder) => isBelow(path, folder));
  }

  /** Services put their sockets into the folder for temporary files: only what is named counts. */
  private allowsPipe(path: string): boolean {
    return isToolPipe(path, this.temporary) || this.named.some((folder) => isBelow(path, folder));
  }

  private allowsHost(host: string, port: number | undefined): boolean {
    if (port !== undefined && isOwnServer(host, port)) return true;
    return this.hosts.some((rule) => matchesHost(rule, host, port));
  }
}

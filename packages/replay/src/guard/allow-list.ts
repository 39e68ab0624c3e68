import { tmpdir } from 'node:os';
import { basename, resolve } from 'node:path';
import {
  HostList,
  isBelow,
  isOutputOrToolScratch,
  isScratchFile,
  isToolPipe,
  MadeSince,
  realPath,
  startOfReplayMs,
} from '@reenact/instrumentation';
import type { AttemptedEffect } from './attempted-effect.ts';
import type { GuardOptions } from './guard-options.ts';
import { isOwnServer } from './own-servers.ts';
import { isCompiler } from './source-tools.ts';

/** What effects happen in a replay although no boundary covers them. */
export class AllowList {
  private readonly hosts: HostList;
  private readonly hostCount: number;
  private readonly folders: readonly string[];
  private readonly named: readonly string[];
  private readonly programs: ReadonlySet<string>;
  private readonly temporary = realPath(tmpdir());
  private readonly made: MadeSince;
  /** Of which named hosts an address was found to be: gRPC looks names up itself, and connects to what it found. */
  private readonly namesByAddress = new Map<string, Set<string>>();

  /** `directory`: the replay's own, where there is one. */
  constructor(options: GuardOptions, directory?: string) {
    this.hosts = new HostList(options.allowHosts);
    this.hostCount = options.allowHosts.length;
    this.programs = new Set(options.allowPrograms);
    this.named = options.allowPaths.map((path) => realPath(resolve(path)));
    const own = directory === undefined ? [] : [realPath(resolve(directory))];
    this.folders = [...own, ...this.named];
    this.made = new MadeSince(startOfReplayMs(directory));
  }

  /** Whether the user named any host. */
  get namesHosts(): boolean {
    return this.hostCount > 0;
  }

  /** Takes note of an address that was looked up; of hosts that the user did not name there is nothing to know. */
  found(address: string, host: string): void {
    if (!this.hosts.includes(host, undefined)) return;
    this.namesByAddress.set(address, (this.namesByAddress.get(address) ?? new Set()).add(host));
  }

  /** Whether an effect may happen. */
  allows(effect: AttemptedEffect): boolean {
    switch (effect.type) {
      case 'file':
        return effect.paths.every((path) => path !== undefined && this.allowsPath(path, effect.isDatabase === true));
      case 'host':
        return this.allowsHost(effect.host, effect.port);
      case 'pipe':
        return this.allowsPipe(realPath(effect.path));
      case 'program':
        return isCompiler(effect.target) || this.namesProgram(effect.program);
    }
  }

  /** Whether the user named a program, by its name or where it lies. */
  namesProgram(program: string | undefined): boolean {
    return program !== undefined && (this.programs.has(program) || this.programs.has(basename(program)));
  }

  private allowsPath(path: string, isDatabase: boolean): boolean {
    if (isOutputOrToolScratch(path) || this.folders.some((folder) => isBelow(path, folder))) return true;
    // What the replay makes itself there is scratch; a database of before is what somebody keeps.
    return isScratchFile(path, this.temporary) && (!isDatabase || this.made.includes(path));
  }

  /** Services put their sockets into the folder for temporary files: only what is named counts. */
  private allowsPipe(path: string): boolean {
    return isToolPipe(path, this.temporary) || this.named.some((folder) => isBelow(path, folder));
  }

  private allowsHost(host: string, port: number | undefined): boolean {
    if (port !== undefined && isOwnServer(host, port)) return true;
    return [host, ...(this.namesByAddress.get(host) ?? [])].some((name) => this.hosts.includes(name, port));
  }
}

import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Where git keeps what it knows of a work tree. */
export interface GitFolder {
  /** The work tree. */
  readonly root: string;
  /** Of this work tree alone: HEAD and the index. */
  readonly own: string;
  /** Of all work trees of the repository: branches and configuration. The same where there is one. */
  readonly common: string;
}

/** A text without white space around it; undefined where it cannot be read. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** The nearest git folder from here upwards; of a further work tree or a submodule it lies elsewhere, and `.git` is a file that says where. */
export function findGitFolder(folder: string): GitFolder | undefined {
  const path = join(folder, '.git');
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true) {
    const named = /^gitdir: (.+)$/.exec(readText(path) ?? '')?.[1];
    // What is further up is another repository, whose commit this is not.
    return named === undefined ? undefined : withCommon(folder, resolve(folder, named));
  }
  if (stats !== undefined && readText(join(path, 'HEAD')) !== undefined) return withCommon(folder, path);
  const parent = dirname(folder);
  return parent === folder ? undefined : findGitFolder(parent);
}

function withCommon(root: string, own: string): GitFolder {
  const common = readText(join(own, 'commondir'));
  return { root, own, common: common === undefined ? own : resolve(own, common) };
}

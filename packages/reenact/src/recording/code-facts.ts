import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ATTR_VCS_REF_HEAD_NAME, ATTR_VCS_REF_HEAD_REVISION } from '@reenact/semconv/core';
import { ATTR_REENACT_ENVIRONMENT_DIRTY, ATTR_REENACT_ENVIRONMENT_LOCKFILE_DIGEST } from '@reenact/semconv/reenact';
import { hasChangedFiles } from './changed-files.ts';
import { findGitFolder, type GitFolder, readText } from './git-folder.ts';

const lockFiles = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock'];

/** The nearest file of one of these names, from a folder upwards. */
export function findUpwards(folder: string, names: readonly string[]): string | undefined {
  for (const name of names) if (existsSync(join(folder, name))) return join(folder, name);
  const parent = dirname(folder);
  return parent === folder ? undefined : findUpwards(parent, names);
}

/** Commit and branch read from the git folder itself: no process is started in production for it. */
function vcsFacts(git: GitFolder): Record<string, string | undefined> {
  const head = readText(join(git.own, 'HEAD'));
  if (head === undefined) return {};
  const reference = /^ref: (.+)$/.exec(head)?.[1];
  if (reference === undefined) return { [ATTR_VCS_REF_HEAD_REVISION]: head };
  // Where branches are kept in tables, HEAD names one that cannot be.
  if (reference === 'refs/heads/.invalid') return {};
  const revision =
    readText(join(git.own, reference)) ??
    readText(join(git.common, reference)) ??
    packedRevision(join(git.common, 'packed-refs'), reference);
  return { [ATTR_VCS_REF_HEAD_NAME]: reference.replace('refs/heads/', ''), [ATTR_VCS_REF_HEAD_REVISION]: revision };
}

function packedRevision(path: string, reference: string): string | undefined {
  return readText(path)
    ?.split('\n')
    .find((line) => line.endsWith(` ${reference}`))
    ?.split(' ')[0];
}

/** What git knows of the work tree around a folder. */
function gitFacts(folder: string): Record<string, string | boolean | undefined> {
  try {
    const git = findGitFolder(folder);
    return git === undefined ? {} : { [ATTR_REENACT_ENVIRONMENT_DIRTY]: hasChangedFiles(git), ...vcsFacts(git) };
  } catch {
    // A folder that may not be looked into.
    return {};
  }
}

function lockFileDigest(folder: string): string | undefined {
  const path = findUpwards(folder, lockFiles);
  const text = path === undefined ? undefined : readText(path);
  return text === undefined ? undefined : `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** What the code in a folder is, by its resource attributes: commit, branch, uncommitted changes, digest of the lock file. Never throws. */
export function codeFacts(folder: string): Record<string, string | boolean | undefined> {
  return { [ATTR_REENACT_ENVIRONMENT_LOCKFILE_DIGEST]: lockFileDigest(folder), ...gitFacts(folder) };
}

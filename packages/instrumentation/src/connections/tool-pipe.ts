import { basename, dirname, sep } from 'node:path';

/**
 * Whether a pipe is the one by which tsx tells its parent that it has started: no agent asked for it, and nothing comes back. The folder is where the
 * platform puts temporary files, as paths have it that are held against it.
 */
export function isToolPipe(path: string, temporaryFolder: string): boolean {
  return (
    /^tsx-[^/\\]+$/.test(basename(dirname(path))) && path.startsWith(temporaryFolder + sep) && path.endsWith('.pipe')
  );
}

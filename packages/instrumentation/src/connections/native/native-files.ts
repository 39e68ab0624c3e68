import { descriptorLinks } from './descriptor-links.ts';

/** Taken now: in a replay, functions that read files are others'. */
const { readFileSync } = process.getBuiltinModule('node:fs');

/** Access modes of fcntl.h, of which 0 is for reading only. */
const accessMask = 3;
/** What is no file that lasts: devices, shared memory, what the kernel tells, what has no name any more. */
const passingPattern = /^\/(?:dev|proc|sys|memfd:)|\(deleted\)$/;

function isOpenForWriting(descriptor: number): boolean {
  try {
    const [, flags = '0'] =
      /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')) ?? [];
    return (Number.parseInt(flags, 8) & accessMask) !== 0;
  } catch {
    return false;
  }
}

function openFiles(): Map<string, string> {
  const found = new Map<string, string>();
  for (const [descriptor, link] of descriptorLinks()) {
    if (!link.startsWith('/') || passingPattern.test(link) || !isOpenForWriting(descriptor)) continue;
    found.set(`${descriptor} ${link}`, link);
  }
  return found;
}

/**
 * Finds the files that this process has open for writing, from Linux' own tables, whoever opened them. One that is closed again between two
 * looks is not found. Elsewhere than on Linux nothing is.
 */
export class NativeFiles {
  private settled = new Map<string, string>();

  /** Takes every file that is open for one that is known. */
  settle(): void {
    this.settled = openFiles();
  }

  /** Paths of those that were not open at the last look. Never throws. */
  look(): readonly string[] {
    const before = this.settled;
    this.settled = openFiles();
    return [...this.settled].filter(([key]) => !before.has(key)).map(([, path]) => path);
  }
}

import { fileURLToPath } from 'node:url';

const STDIN = 0;

/** The paths under which standard input is read like a file. */
const paths: ReadonlySet<unknown> = new Set(['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

/** The path that a function of `node:fs` is given, as a text; what it is given itself where that is no path. */
export function givenPath(file: unknown): unknown {
  if (file instanceof URL) return file.protocol === 'file:' ? fileURLToPath(file) : file;
  return file instanceof Uint8Array ? Buffer.from(file).toString() : file;
}

/** Whether a file, as a function of `node:fs` is given it, is standard input. Never throws. */
export function isStandardInput(file: unknown): boolean {
  if (file === STDIN) return true;
  if (typeof file === 'string') return paths.has(file);
  if (typeof file !== 'object') return false;
  try {
    return paths.has(givenPath(file));
  } catch {
    // What is no path of this platform is refused where it is opened.
    return false;
  }
}

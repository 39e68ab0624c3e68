const STDIN = 0;

/** The paths under which standard input is read like a file. */
const paths: ReadonlySet<unknown> = new Set(['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

/** Whether a file, as a function of `node:fs` is given it, is standard input. */
export function isStandardInput(file: unknown): boolean {
  return file === STDIN || paths.has(file);
}

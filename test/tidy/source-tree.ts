import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Root of the repository. */
export const root = new URL('../..', import.meta.url).pathname;

/** One file of the repository. */
export interface SourceFile {
  /** Path from the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

function listFiles(): string[] {
  const output = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  return output.split('\n').filter((path) => path !== '' && existsSync(join(root, path)));
}

/** Every file that git tracks, or would track. */
export const paths: readonly string[] = listFiles();

function isCode(path: string): boolean {
  return /\.(tsx?|mts|mjs|js)$/.test(path) && !/(^|\/)(generated|fixtures|testdata|dist)\//.test(path);
}

/** Every hand-written code file, tests included. */
export const codeFiles: readonly SourceFile[] = paths
  .filter(isCode)
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Code that is shipped: no tests, nothing they stand on, nothing of the test workspace. */
export const shippedFiles: readonly SourceFile[] = codeFiles.filter(
  ({ path }) => /^(semconv|packages\/[^/]+|collector)\/src\/(?!testing\/)/.test(path) && !path.endsWith('.test.ts'),
);

/** The text of one file by its path from the root. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

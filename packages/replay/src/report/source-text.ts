import { isAbsolute, relative } from 'node:path';
import type { SourceLine } from '@reenact/trace-model';

/** `file:line:column`, relative to the directory where the file lies inside it. */
export function sourceText(source: SourceLine, directory: string): string {
  const path = relative(directory, source.file);
  const file = path === '' || path.startsWith('..') || isAbsolute(path) ? source.file : path;
  return `${file}:${source.line}:${source.column}`;
}

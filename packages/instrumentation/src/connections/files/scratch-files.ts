import { sep } from 'node:path';
import { isOutput } from './real-path.ts';

/** Where Vite puts its compiled configuration, to load it, and where it and Vitest keep what they compiled and how long tests took. */
const scratch = /[/\\]node_modules[/\\]\.(?:vite-temp|vite|vitest-cache)(?:[/\\]|$)/;

/** Whether a path is a folder or something in it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether a path is where every program writes, or in a folder of such a tool's own, below `node_modules`. */
export function isOutputOrToolScratch(path: string): boolean {
  return isOutput(path) || scratch.test(path);
}

/**
 * Whether a replay changes a file although no boundary covers that. Links of both are resolved; `temporary` is where the platform puts
 * temporary files. A database that lies there is another matter.
 */
export function isScratchFile(path: string, temporary: string): boolean {
  return isOutputOrToolScratch(path) || isBelow(path, temporary);
}

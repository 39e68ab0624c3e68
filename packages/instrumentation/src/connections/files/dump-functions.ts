import { resolve } from 'node:path';
import type { FileEffect } from './file-effect.ts';
import { absolutePath, realPath } from './real-path.ts';

/** A function of the platform that writes a file about the process, and is none of `node:fs`. */
export interface DumpFunction {
  readonly owner: object;
  readonly key: string;
  readonly effectOf: (parameters: readonly unknown[]) => FileEffect;
}

/** Without a file the platform makes up a name in the folder. */
function dumpEffect(name: string, folder: string, file: unknown): FileEffect {
  const given = typeof file === 'string' ? resolve(folder, file) : absolutePath(file);
  const target = given ?? folder;
  return { type: 'file', name, paths: [realPath(target)], target };
}

/** Those of this process. */
export function dumpFunctions(): readonly DumpFunction[] {
  const { report } = process;
  return [
    {
      owner: process.getBuiltinModule('node:v8'),
      key: 'writeHeapSnapshot',
      effectOf: ([file]) => dumpEffect('v8.writeHeapSnapshot', process.cwd(), file),
    },
    {
      owner: report,
      key: 'writeReport',
      effectOf: ([file]) => dumpEffect('process.report.writeReport', report.directory || process.cwd(), file),
    },
  ];
}

import type { ChildProcess } from 'node:child_process';

/** Resolves with what a child printed as soon as it matches; rejects with all it said where it ends before, or never starts. */
export function printedBy(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  let printed = '';
  let said = '';
  child.stderr?.on('data', (text) => {
    said += String(text);
  });
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (text) => {
      printed += String(text);
      const found = pattern.exec(printed);
      if (found !== null) resolve(found);
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      reject(new Error(`${child.spawnargs.join(' ')} ended early, ${signal ?? code}: ${said}${printed}`));
    });
  });
}

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DIRECTORY_PREFIX } from './replay-directory.ts';

/** Whether a word of a command line puts Node.js's permissions in force. */
export function isPermissionFlag(word: string): boolean {
  return word === '--permission' || word === '--experimental-permission';
}

/** Whether Node.js's permissions keep this process from writing into the directory of its replay. */
export function mayNotWrite(directory: string): boolean {
  // `process.permission` is there only where permissions are in force, whatever its type says.
  const { permission } = process as { readonly permission?: NodeJS.ProcessPermission };
  return permission?.has('fs.write', directory) === false;
}

/** What lets a process with Node.js's permissions take part. */
export function permissionAdvice(): string {
  const folders = join(tmpdir(), `${DIRECTORY_PREFIX}*`);
  return `Let it read and write the folder of its replay: --allow-fs-read='${folders}' --allow-fs-write='${folders}'.`;
}

import type { MakeDirectoryOptions } from 'node:fs';
import { type Attempts, calledBack } from './attempts.ts';

type Files = Pick<typeof import('node:fs'), Exclude<keyof typeof import('node:fs'), 'promises'>>;
type FilePromises = typeof import('node:fs/promises');
type AnyFunction = (...parameters: unknown[]) => unknown;

const owner = [process.getuid?.() ?? 0, process.getgid?.() ?? 0] as const;
const recursive: MakeDirectoryOptions = { recursive: true };

/** Every function that changes files by path, with parameters that would change the working folder. */
const changes: Readonly<Record<string, readonly unknown[]>> = {
  writeFile: ['written.txt', 'x'],
  appendFile: ['appended.txt', 'x'],
  truncate: ['truncated.txt', 1],
  chmod: ['mode.txt', 0o600],
  chown: ['owned.txt', ...owner],
  lchown: ['owned.txt', ...owner],
  utimes: ['times.txt', 1, 1],
  lutimes: ['times.txt', 2, 2],
  rename: ['renamed.txt', 'other.txt'],
  link: ['linked.txt', 'hard-link.txt'],
  symlink: ['linked.txt', 'soft-link.txt'],
  copyFile: ['copied.txt', 'copy.txt'],
  cp: ['copied-folder', 'copy-of-folder', recursive],
  mkdir: ['made/deep', recursive],
  mkdtemp: ['made-'],
  rmdir: ['empty-folder'],
  rm: ['full-folder', { recursive: true, force: true }],
  unlink: ['unlinked.txt'],
  open: ['opened.txt', 'w'],
};

/** Every such change as callback, synchronous and promised call. */
export function fileAttempts(files: Files, promises: FilePromises): Attempts {
  const calls = { ...files } as unknown as Record<string, AnyFunction>;
  const promised = { ...promises } as unknown as Record<string, AnyFunction>;
  const all = Object.entries(changes).flatMap(([name, parameters]) => [
    [`fs.${name}`, () => calledBack((done) => calls[name]?.(...parameters, done)).then(() => 'done')],
    [`fs.${name}Sync`, () => String(calls[`${name}Sync`]?.(...parameters))],
    [`fs.promises.${name}`, async () => String(await promised[name]?.(...parameters))],
  ]);
  return Object.fromEntries(all) as Attempts;
}

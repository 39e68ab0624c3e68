import { isMainThread } from 'node:worker_threads';
import { processState } from '@reenact/trace-model';
import { disguised, type PatchSet } from '../patching/patch-set.ts';

const STDIN = 0;

/** The paths under which standard input is read like a file. */
const paths: ReadonlySet<unknown> = new Set(['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

interface Input {
  /** `process.stdin`, where anybody has asked for it: to open it keeps a process alive and changes a terminal. */
  stream: object | undefined;
  /** Whether something of it was read by its descriptor or path. */
  wasReadByDescriptor: boolean;
}

const input = processState('standard-input.1', (): Input => ({ stream: undefined, wasReadByDescriptor: false }));

/** Whether this process has read anything of its standard input so far. Does not open it. */
export function hasReadInput(): boolean {
  // That of a worker thread is a stream of the thread that started it.
  if (!isMainThread) return false;
  const { stream, wasReadByDescriptor } = input;
  return wasReadByDescriptor || (stream !== undefined && Number(Reflect.get(stream, 'bytesRead')) > 0);
}

function isInput(file: unknown): boolean {
  return file === STDIN || paths.has(file);
}

function noteRead(length: unknown): void {
  if (typeof length === 'number' && length > 0) input.wasReadByDescriptor = true;
}

/**
 * Notes whether the program reads its standard input, which no recording holds: the runs that end behind that are marked for it. The stream is
 * asked how much came over it when such a run ends, so that nothing stands between it and who listens.
 */
export function watchInput(patches: PatchSet): void {
  patches.replaceGetter(process, 'stdin', (open) => () => {
    const stream = open();
    if (typeof stream === 'object' && stream !== null) input.stream = stream;
    return stream;
  });
  const fs = process.getBuiltinModule('node:fs');
  patches.replace<typeof fs.readFileSync>(fs, 'readFileSync', (original) => {
    const read = function (this: unknown, ...parameters: Parameters<typeof fs.readFileSync>): unknown {
      const content: unknown = Reflect.apply(original, this, parameters);
      if (isInput(parameters[0])) noteRead(Reflect.get(Object(content), 'length'));
      return content;
    };
    return disguised(read as typeof fs.readFileSync, original);
  });
  patches.replace<typeof fs.readSync>(fs, 'readSync', (original) => {
    const read = function (this: unknown, ...parameters: Parameters<typeof fs.readSync>): number {
      const length = Reflect.apply(original, this, parameters);
      if (isInput(parameters[0])) noteRead(length);
      return length;
    };
    return disguised(read as typeof fs.readSync, original);
  });
}

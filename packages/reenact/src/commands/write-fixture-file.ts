import { randomUUID } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ReenactError } from '@reenact/trace-model';

/** How many bytes are copied at once. */
const COPIED_BYTES = 1_048_576;
/** For a copy that nobody else is to read, and this user is, whoever may read what it is of. */
const PRIVATE_MODE = 0o600;

/** Where the text is put together, and where it goes from there; the same where a pipe or a device is written to. */
interface Places {
  readonly draft: string;
  readonly final: string;
  /** Permissions of the file that is there already. */
  readonly mode?: number;
  /** Made for the draft, where nothing can be made beside the file. */
  readonly folder?: string;
}

function placesOf(path: string): Places {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile()) return { draft: path, final: path };
  // A link stays one: what it leads to is replaced.
  const final = stats === undefined ? path : realpathSync(path);
  if (stats === undefined) return { draft: `${final}.${process.pid}.part`, final };
  accessSync(final, constants.W_OK);
  if (isWritable(dirname(final))) return { draft: `${final}.${process.pid}.part`, final, mode: stats.mode };
  const folder = mkdtempSync(join(tmpdir(), 'reenact-fixture-'));
  return { draft: join(folder, 'fixture.part'), final, mode: stats.mode, folder };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Gives how many bytes were written. */
function writeLines(path: string, lines: Iterable<string>): number {
  let bytes = 0;
  const file = openSync(path, 'w');
  try {
    for (const line of lines) {
      writeFileSync(file, line);
      bytes += Buffer.byteLength(line);
    }
    return bytes;
  } finally {
    closeSync(file);
  }
}

/** Where the file that was there is kept, as the one that stands in its place could be written in part only. */
class LeftInPart extends Error {
  readonly before: string;

  constructor(before: string, cause: unknown) {
    super(`what was there before is in ${before}`, { cause });
    this.before = before;
  }
}

function settle({ draft, final, mode, folder }: Places): void {
  if (draft === final) return;
  flush(draft);
  if (folder !== undefined) {
    writeOver(draft, final);
    return;
  }
  if (mode !== undefined) chmodSync(draft, mode);
  try {
    renameSync(draft, final);
  } catch (cause) {
    // A file that is mounted by itself cannot be replaced, nor can that of another in a folder where everybody makes files.
    if (!isNotReplaced((cause as NodeJS.ErrnoException).code)) throw cause;
    writeOver(draft, final);
    rmSync(draft, { force: true });
  }
}

function isNotReplaced(code: string | undefined): boolean {
  return code === 'EBUSY' || code === 'EPERM';
}

function flush(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Writes all of a buffer's beginning at a place of a file, however much of it the disk takes at once. */
function writeAt(file: number, chunk: Uint8Array, length: number, start: number): void {
  for (let done = 0; done < length; ) done += writeSync(file, chunk, done, length - done, start + done);
}

/** Copies what a file has into an open one, and nothing else: `copyFileSync` gives it permissions, too, which only its owner may, and says so when it is empty already. */
function copyContent(from: string, target: number): void {
  const source = openSync(from, 'r');
  try {
    const chunk = new Uint8Array(COPIED_BYTES);
    let bytes = 0;
    for (let read = readSync(source, chunk); read > 0; read = readSync(source, chunk)) {
      writeAt(target, chunk, read, bytes);
      bytes += read;
    }
    ftruncateSync(target, bytes);
    fsyncSync(target);
  } finally {
    closeSync(source);
  }
}

function keepCopy(path: string, copy: string): void {
  const file = openSync(copy, 'wx', PRIVATE_MODE);
  try {
    copyContent(path, file);
  } catch (cause) {
    rmSync(copy, { force: true });
    throw cause;
  } finally {
    closeSync(file);
  }
}

/** Writes over a file that cannot be replaced. What it has is copied before, and put back where there is no room for what it is to have. */
function writeOver(draft: string, final: string): void {
  // A name of its own: in a container the next process has the same id, and this may be all that is left of a fixture.
  const before = draft.replace(/part$/, `${randomUUID()}.before`);
  // Opened first: where it may not be written, nothing is lost.
  const file = openSync(final, 'r+');
  try {
    keepCopy(final, before);
    try {
      copyContent(draft, file);
    } catch (cause) {
      putBack(before, file, cause);
      throw cause;
    }
  } finally {
    closeSync(file);
  }
  rmSync(before, { force: true });
}

function putBack(before: string, file: number, cause: unknown): void {
  try {
    copyContent(before, file);
  } catch {
    throw new LeftInPart(before, cause);
  }
  rmSync(before, { force: true });
}

function refusal(path: string, thrown: unknown, places: Places | undefined): ReenactError {
  const cause = thrown instanceof LeftInPart ? thrown.cause : thrown;
  const { code } = cause as NodeJS.ErrnoException;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  const what = isFull ? `There is no room for ${path}.` : `${path} cannot be written.`;
  const next = isFull
    ? 'Free some space, or give --out a path on another disk'
    : 'Give --out a path in a folder that exists and is yours';
  return new ReenactError('bad-argument', what, { where: path, next: `${next}${stateWords(thrown, places)}.`, cause });
}

function stateWords(thrown: unknown, places: Places | undefined): string {
  if (thrown instanceof LeftInPart) return `; the file has only a part now, and what it had is in ${thrown.before}`;
  return places?.mode === undefined ? '' : '; the file that was there is as it was';
}

function removeDraft({ draft, final, folder }: Places, isKept: boolean): void {
  if (draft !== final) rmSync(draft, { force: true });
  if (folder !== undefined && !isKept) rmSync(folder, { recursive: true, force: true });
}

/**
 * Writes a fixture and gives how many bytes it has. All of it or nothing: the fixture that stood there before may be the only copy of an
 * incident, so it is replaced by one that is whole and on the disk, or copied before it is written over.
 */
export function writeFixtureFile(path: string, lines: Iterable<string>): number {
  let places: Places | undefined;
  try {
    places = placesOf(path);
    const bytes = writeLines(places.draft, lines);
    settle(places);
    removeDraft(places, false);
    return bytes;
  } catch (thrown) {
    if (places !== undefined) removeDraft(places, thrown instanceof LeftInPart);
    throw refusal(path, thrown, places);
  }
}

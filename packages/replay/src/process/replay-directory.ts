import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PiecewiseDigest, type Recording, ReenactError } from '@reenact/trace-model';
import { fixtureLines, linesOfFile } from '@reenact/trace-model/reading';
import { z } from 'zod';
import { entryOrderSchema } from '../config/entry-order.ts';
import { debugOrderSchema } from '../debug/debug-order.ts';
import { readEventLines } from '../events/read-event-lines.ts';
import type { StampedEvent } from '../events/replay-event.ts';
import { guardOptionsSchema } from '../guard/guard-options.ts';
import { REFUSAL_CHARACTERS_MAX, REPORT_FILE_BYTES_MAX } from '../limits.ts';
import { planSchema } from '../plan/plan-schema.ts';
import { REPLAY_DIRECTORY_VARIABLE } from '../process-variables.ts';
import { PACES } from '../time/schedule/pace.ts';
import { driverSchema, isDriverGone, type ReplayDriver } from './replay-driver.ts';

/** Start of the names of folders that hold a replay each, in the system's folder for temporary files. */
export const DIRECTORY_PREFIX = 'reenact-replay-';
const recordingFile = 'recording.otlp.jsonl';
const orderFile = 'replay.json';

const orderSchema = z.strictObject({
  version: z.literal(1),
  replayId: z.string().min(1),
  rootSpanId: z.string().min(1),
  rootPath: z.string(),
  plan: planSchema,
  /** recorded: outcomes come after the delays with which they came when they were recorded. */
  pace: z.enum(PACES).optional(),
  /** Address of the OTLP/HTTP endpoint that takes the spans of the replay, path included; absent where nobody does. */
  exportUrl: z.url().optional(),
  /** How much later than the recorded spans those of the replay stand, milliseconds; absent where nobody takes them. */
  spansLaterMs: z.int().optional(),
  guard: guardOptionsSchema.optional(),
  /** The root is entered by calling a function of the user, found here; absent where the command does it. */
  entry: entryOrderSchema.optional(),
  debug: debugOrderSchema.optional(),
  /** Signs positions, base64url. */
  key: z.string().min(1),
  /** Of the recording file; a child refuses to start on anything else. */
  recordingDigest: z.string().min(1),
  /** The process that drives the replay: where it is gone, so is the replay. */
  driver: driverSchema,
});

/** What a child process is told: which run to answer, by which plan. */
export type ReplayOrder = Omit<z.infer<typeof orderSchema>, 'version' | 'recordingDigest' | 'driver' | 'rootPath'>;

/**
 * Makes the private directory of one replay and fills it, and removes those that drivers which were killed have left. Throws
 * ReenactError `driver-failed`.
 */
export function createReplayDirectory(recording: Recording, order: ReplayOrder): string {
  let directory: string | undefined;
  try {
    removeAbandonedDirectories();
    directory = mkdtempSync(join(tmpdir(), DIRECTORY_PREFIX));
    chmodSync(directory, 0o700);
    const recordingDigest = writeRecording(join(directory, recordingFile), recording);
    const driver: ReplayDriver = { processId: process.pid, host: hostname() };
    const rootPath = recording.bySpanId.get(order.rootSpanId)?.path ?? '';
    const content = { version: 1, ...order, rootPath, recordingDigest, driver };
    writeFileSync(join(directory, orderFile), JSON.stringify(content), { mode: 0o600 });
    return directory;
  } catch (thrown) {
    if (directory !== undefined) removeReplayDirectory(directory);
    throw new ReenactError('driver-failed', 'The directory of the replay could not be written.', {
      where: directory ?? tmpdir(),
      next: 'Check that the folder for temporary files is writable and has room; TMPDIR names another one.',
      cause: thrown,
    });
  }
}

/** Line by line, and gives the digest of the whole. */
function writeRecording(path: string, { data }: Recording): string {
  const digest = new PiecewiseDigest();
  const file = openSync(path, 'w', 0o600);
  try {
    for (const line of fixtureLines(data)) {
      writeFileSync(file, line);
      digest.add(line);
    }
  } finally {
    closeSync(file);
  }
  return digest.finish();
}

function reading<Result>(directory: string, name: string, read: (path: string) => Result): Result {
  try {
    return read(join(directory, name));
  } catch (thrown) {
    throw new ReenactError('driver-failed', `The replay's ${name} cannot be read.`, {
      where: join(directory, name),
      next: `Start the agent through \`reenact replay\`; it makes the directory that ${REPLAY_DIRECTORY_VARIABLE} names and removes it at the end.`,
      cause: thrown,
    });
  }
}

/** As it was written: line by line. */
function readVerified(directory: string, expectedDigest: string): readonly string[] {
  const lines = reading(directory, recordingFile, (path) => [...linesOfFile(path)]);
  const digest = new PiecewiseDigest();
  for (const line of lines) digest.add(`${line}\n`);
  if (digest.finish() !== expectedDigest) throw damaged(directory, recordingFile, 'it does not match its digest');
  return lines;
}

function damaged(directory: string, name: string, detail: string): ReenactError {
  return new ReenactError('recording-damaged', `The replay's ${name} is damaged: ${detail}.`, {
    where: join(directory, name),
    next: 'Start the replay again.',
  });
}

/** What a process finds in the directory of its replay. */
export interface FoundReplay {
  readonly order: ReplayOrder;
  /** The verified recording: all of a large one may be longer than a text may be. */
  readonly lines: readonly string[];
  readonly driver: ReplayDriver;
}

function readWholeOrder(directory: string): z.infer<typeof orderSchema> {
  let tree: unknown;
  try {
    tree = JSON.parse(reading(directory, orderFile, (path) => readFileSync(path, 'utf8')));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw damaged(directory, orderFile, 'it is not JSON');
    throw thrown;
  }
  const parsed = orderSchema.safeParse(tree);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw damaged(directory, orderFile, `${issue?.path.join('.') ?? '$'}: ${issue?.message ?? 'malformed'}`);
}

/** Reads the directory of a replay. Throws ReenactError; a child must then not run the agent. */
export function readReplayDirectory(directory: string): FoundReplay {
  const { version: _version, recordingDigest, rootPath: _path, driver, ...order } = readWholeOrder(directory);
  return { order, lines: readVerified(directory, recordingDigest), driver };
}

/** What a thread of a process of the replay needs that answers no call itself. Throws ReenactError as {@link readReplayDirectory} does. */
export function readThreadOrder(
  directory: string,
): Pick<ReplayOrder, 'guard' | 'replayId'> & { readonly rootPath: string } {
  const { guard, replayId, rootPath } = readWholeOrder(directory);
  return { replayId, rootPath, ...(guard === undefined ? {} : { guard }) };
}

function readReport(path: string, name: string, notes: string[]): StampedEvent[] {
  if (statSync(path).size > REPORT_FILE_BYTES_MAX) {
    notes.push(`${name} is larger than ${REPORT_FILE_BYTES_MAX} bytes and was not read.`);
    return [];
  }
  return readEventLines(readFileSync(path, 'utf8'), name, notes);
}

function reportNames(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => /^report-[\d-]+\.ndjson$/.test(name))
    .sort();
}

/** How much the processes of a replay have reported, in bytes: what is asked again and again need not be read to see that it grew. */
export function reportedBytes(directory: string): number {
  return reportNames(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
}

/** Gathers what all processes of a replay reported. Never throws for what a process left half done: it notes it. */
export function gatherReports(directory: string): { readonly events: StampedEvent[]; readonly notes: string[] } {
  const notes: string[] = [];
  const events = reportNames(directory).flatMap((name) => readReport(join(directory, name), name, notes));
  return { events, notes };
}

/** Why a process ended before its first line, as the hook says that cannot load what replays; undefined where none did. */
export function refusalIn(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, 'refused.txt'), 'utf8').slice(0, REFUSAL_CHARACTERS_MAX);
  } catch {
    return undefined;
  }
}

/** Removes the directory of a replay; what cannot be removed is left to the system. */
export function removeReplayDirectory(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // Temporary files of a replay that is over are not worth failing for.
  }
}

/** Whether somebody still drives the replay in a directory; where that cannot be told, somebody does. */
function isAbandoned(directory: string): boolean {
  try {
    const tree: unknown = JSON.parse(readFileSync(join(directory, orderFile), 'utf8'));
    const parsed = z.object({ driver: driverSchema }).safeParse(tree);
    return parsed.success && isDriverGone(parsed.data.driver);
  } catch {
    return false;
  }
}

function removeAbandonedDirectories(): void {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(DIRECTORY_PREFIX));
  for (const directory of names.map((name) => join(tmpdir(), name))) {
    if (isAbandoned(directory)) removeReplayDirectory(directory);
  }
}

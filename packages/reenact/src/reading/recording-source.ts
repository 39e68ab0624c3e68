import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CollectorClient } from '@reenact/collector-client';
import { assembleRecording, awaitsLogEvents, setUpTelemetry } from '@reenact/dialects';
import type { TracesData } from '@reenact/otlp';
import { namedRoot } from '@reenact/recordings';
import {
  type Crossing,
  describeError,
  type Recording,
  ReenactError,
  type SetUpLink,
  toReenactError,
} from '@reenact/trace-model';
import { linesOfFile, readFixture, setUpLinkOf } from '@reenact/trace-model/reading';
import { DEFAULT_COLLECTOR_URL } from './default-collector.ts';
import { openCollector } from './open-collector.ts';

/** The collector a command talks to: the flag, then REENACT_COLLECTOR, then this machine's default port. */
export function collectorUrl(flag: string | undefined): string {
  return flag ?? process.env.REENACT_COLLECTOR ?? DEFAULT_COLLECTOR_URL;
}

/** One recording and the span the user named; without a name, as with a file, the root of its only run. */
export interface NamedRecording {
  readonly recording: Recording;
  readonly rootSpanId: string;
}

const idPattern = /^([0-9a-f]{16}|[0-9a-f]{32})$/i;

/** Whether what was named is an id that a collector is asked for, and no file. */
export function isRecordingId(idOrFile: string): boolean {
  return idPattern.test(idOrFile);
}

function readFile(path: string): readonly string[] {
  if (existsSync(path) && statSync(path).isDirectory()) {
    throw new ReenactError('fixture-unreadable', `${path} is a folder, not a fixture file.`, {
      where: path,
      next: `Name one file in it: ${join(path, '<name>.otlp.jsonl')}.`,
    });
  }
  if (!existsSync(path) || !statSync(path).isFile()) {
    throw new ReenactError(
      'fixture-unreadable',
      `There is no file ${path}, and it is not a trace id (32 hex digits) or span id (16 hex digits) either.`,
      {
        where: path,
        next: 'List what the collector has with `reenact runs`, name the newest of them by `latest`, or give the path of an exported fixture.',
      },
    );
  }
  try {
    return [...linesOfFile(path)];
  } catch (cause) {
    throw new ReenactError('fixture-unreadable', `${path} cannot be read.`, {
      where: path,
      next: 'Check the permissions of the file.',
      cause,
    });
  }
}

/** A recording, and the span that was named; absent where a whole trace or a file was. */
export interface SourcedRecording {
  readonly recording: Recording;
  readonly spanId: string | undefined;
}

/** What another instrumentation recorded may have what was said in log records of its own. */
async function withLogs(recording: Recording, id: string, client: CollectorClient): Promise<Recording> {
  if (!awaitsLogEvents(recording)) return recording;
  return assembleRecording(recording.data, await client.getLogs(id));
}

/**
 * Reads a recording by trace id, by any span id of it, or from a fixture file; no collector is asked for a file. Throws
 * ReenactError with the code that says which of these failed, and `too-large` where a collector's takes more than so many bytes.
 */
export async function readRecording(idOrFile: string, url: string, bytesMax?: number): Promise<SourcedRecording> {
  if (!isRecordingId(idOrFile)) {
    return { recording: assembleRecording(readFixture(readFile(idOrFile), idOrFile)), spanId: undefined };
  }
  const id = idOrFile.toLowerCase();
  const client = openCollector(url);
  const recording = await withLogs(assembleRecording(await client.getRecording(id, bytesMax)), id, client);
  return { recording, spanId: id.length === 16 ? id : undefined };
}

/**
 * The telemetry of one set-up; undefined where it cannot be had. The run itself can be replayed without: what its program calls before
 * it is then refused, and the report says how much of the set-up was held.
 */
async function fetchSetUp(link: SetUpLink, root: Crossing, client: CollectorClient): Promise<TracesData | undefined> {
  try {
    return setUpTelemetry(await client.getRecording(link.traceId), link, root);
  } catch (thrown) {
    const why = describeError(toReenactError(thrown, 'collector-refused'));
    process.stderr.write(`reenact: what the program did before ${root.path} could not be fetched. ${why}\n`);
    return undefined;
  }
}

/**
 * A recording with what the programs of its runs did before these began, fetched from the collector where it is not held
 * already; what cannot be had of it stays out, and standard error says so. Throws ReenactError.
 */
export async function withSetUps(recording: Recording, url: string): Promise<Recording> {
  const fetched: TracesData[] = [];
  const client = openCollector(url);
  for (const root of recording.roots) {
    const link = setUpLinkOf(recording, root.spanId);
    if (link === undefined || link.traceId === recording.traceId || recording.setUps.has(root.spanId)) continue;
    const data = await fetchSetUp(link, root, client);
    if (data !== undefined) fetched.push(data);
  }
  if (fetched.length === 0) return recording;
  const all = [recording.data, ...fetched].flatMap(({ resourceSpans }) => resourceSpans);
  return assembleRecording({ resourceSpans: all });
}

/** Reads a recording as `readRecording` does, and settles which of its runs is meant. Throws ReenactError. */
export async function findRecording(idOrFile: string, url: string): Promise<NamedRecording> {
  const { recording, spanId } = await readRecording(idOrFile, url);
  return {
    recording,
    rootSpanId: namedRoot(recording, spanId, idOrFile),
  };
}

/** The same with what a replay needs beside the run; no collector is asked for a file. Throws ReenactError. */
export async function findReplayable(idOrFile: string, url: string): Promise<NamedRecording> {
  const { recording, rootSpanId } = await findRecording(idOrFile, url);
  return { recording: isRecordingId(idOrFile) ? await withSetUps(recording, url) : recording, rootSpanId };
}

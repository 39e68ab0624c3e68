import * as files from 'node:fs';
import { join } from 'node:path';
import { emptyResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { pristine } from '../host/pristine.ts';
import { guarded } from '../host/report-failure.ts';
import { spanOfParts } from './crossing-frame.ts';
import { type Frame, readFrames } from './spool-frame.ts';
import { SEGMENT_ENDING, settledOffsets } from './spool-segment.ts';

// Taken out of the module record, which the guard of a replay rewrites.
const { readdirSync, readFileSync } = { ...files };

/** One span that a process left behind, and where it is. */
export interface LeftoverSpan {
  readonly offset: number;
  /** About how large it is on the wire. */
  readonly bytes: number;
  readonly span: ReadableSpan;
}

/** What one file of a spool still holds. */
export interface LeftoverFile {
  readonly path: string;
  readonly spans: readonly LeftoverSpan[];
  /** Frames that are whole and still cannot be read. */
  readonly unreadableCount: number;
  /** Where the whole frames end; what follows was torn when the process died. */
  readonly endBytes: number;
}

function segmentPaths(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(SEGMENT_ENDING));
  return names.toSorted().map((name) => join(folder, name));
}

/** What the files of one spool say about each other. */
interface Overview {
  /** Keys of crossings whose end some file holds: nobody needs to hear that they had started. */
  readonly ended: Set<string>;
  /** Keys of crossings that some file says are delivered. */
  readonly settled: Set<string>;
  /** Where, by key, the latest frame is of those that say a crossing goes on: it says what had come of an answer by then. */
  readonly latest: Map<string, string>;
}

/** Offsets of the frames that these call settled. */
export function settledIn(frames: readonly Frame[]): Set<number> {
  return new Set(frames.flatMap(({ type, parts }) => (type === 'settled' ? settledOffsets(parts) : [])));
}

function placeOf(path: string, { offset }: Frame): string {
  return `${path}:${offset}`;
}

function addToOverview({ ended, settled, latest }: Overview, path: string, frames: readonly Frame[]): void {
  const offsets = settledIn(frames);
  for (const frame of frames) {
    const { type, offset, parts } = frame;
    const [key] = parts;
    if (type === 'pending' && key !== undefined && !offsets.has(offset)) latest.set(key, placeOf(path, frame));
    if (type !== 'ended' || key === undefined) continue;
    ended.add(key);
    if (offsets.has(offset)) settled.add(key);
  }
}

/** Files are read in one go; between two of them the event loop gets its turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => pristine.setImmediate(resolve));
}

/** The resource that a frame of its type says. */
export function resourceOf(parts: readonly string[]): Resource {
  const { attributes, schemaUrl } = JSON.parse(parts[0] ?? '{}') as Pick<Resource, 'attributes' | 'schemaUrl'>;
  return resourceFromAttributes(attributes, schemaUrl === undefined ? {} : { schemaUrl });
}

function sizeOf({ parts }: Frame): number {
  return parts.reduce((sum, part) => sum + part.length, 0) * 2;
}

/** Reads the files of one spool, oldest first, one at a time: what of them was neither delivered nor superseded. */
class LeftoverReader {
  private readonly overview: Overview;
  private readonly given: Set<string>;

  constructor(overview: Overview) {
    this.overview = overview;
    this.given = new Set(overview.settled);
  }

  read(path: string): LeftoverFile {
    const { frames, endBytes } = readFrames(readFileSync(path));
    const settled = settledIn(frames);
    let resource = emptyResource();
    const spans: LeftoverSpan[] = [];
    let unreadableCount = 0;
    for (const frame of frames) {
      if (frame.type === 'resource') resource = guarded('reading a resource', () => resourceOf(frame.parts), resource);
      if (settled.has(frame.offset) || !this.isWanted(path, frame)) continue;
      const current = resource;
      const span = guarded('reading a span of the spool', () => spanOfParts(frame.parts, current), undefined);
      if (span === undefined) unreadableCount += 1;
      else spans.push({ offset: frame.offset, bytes: sizeOf(frame), span });
    }
    return { path, spans, unreadableCount, endBytes };
  }

  private isWanted(path: string, frame: Frame): boolean {
    const {
      type,
      parts: [key = ''],
    } = frame;
    switch (type) {
      case 'resource':
      case 'settled':
        return false;
      case 'pending':
        return !this.overview.ended.has(key) && this.overview.latest.get(key) === placeOf(path, frame);
      case 'ended':
        return isNew(this.given, key);
      case 'span':
        return true;
    }
  }
}

function isNew(keys: Set<string>, key: string): boolean {
  if (keys.has(key)) return false;
  keys.add(key);
  return true;
}

/** The files of one spool, oldest first, each with what has to be delivered of it. Throws where the folder cannot be read. */
export async function* leftoverFiles(folder: string): AsyncGenerator<LeftoverFile> {
  const paths = segmentPaths(folder);
  const overview: Overview = { ended: new Set(), settled: new Set(), latest: new Map() };
  for (const path of paths) {
    addToOverview(overview, path, readFrames(readFileSync(path)).frames);
    await nextTurn();
  }
  const reader = new LeftoverReader(overview);
  for (const path of paths) {
    yield reader.read(path);
    await nextTurn();
  }
}

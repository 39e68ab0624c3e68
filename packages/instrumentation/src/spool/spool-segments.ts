import * as files from 'node:fs';
import { join } from 'node:path';
import { outsideContexts } from '../host/outside-contexts.ts';
import { pristine } from '../host/pristine.ts';
import { ancestorNames } from '../host/process-names.ts';
import { guarded } from '../host/report-failure.ts';
import { SPOOL_HEARTBEAT_MS, SPOOL_RETRY_MS } from '../limits.ts';
import { folderName, type SpoolOwner } from './spool-owner.ts';
import { reportNoSpool, requirePlace } from './spool-place.ts';
import { SEGMENT_ENDING, SpoolSegment } from './spool-segment.ts';

// Taken out of the module record, which the guard of a replay rewrites. `writeFileSync` is not one of them: it looks `openSync` up there.
const { closeSync, mkdirSync, openSync, rmSync, utimesSync, writeSync } = { ...files };

function writeText(path: string, text: string): void {
  const descriptor = openSync(path, 'w', 0o600);
  try {
    writeSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** What the files of a spool are told about its process. */
export interface SpoolPlacement {
  /** Folders it may be in, best first. */
  readonly places: readonly string[];
  readonly owner: SpoolOwner;
  /** A short text for people about where the spans were meant to go. */
  readonly about: string;
  /** As whom the process sends, see `senderOf`. */
  readonly sender?: string | undefined;
}

/** How large the files of a spool may be, each and together. */
export interface SegmentLimits {
  readonly segmentBytesMax: number;
  readonly bytesMax: number;
}

/** Says in the folder for people where its spans were meant to go, and for processes as whom they were sent and who started the one that did. */
export const ABOUT_FILE = 'about.json';

/** The folder of one process and the files in it: which one is written to, and which give way where there is no room. */
export class SpoolSegments {
  private readonly placement: SpoolPlacement;
  private readonly limits: SegmentLimits;
  private folder: string | undefined;
  private number = 0;
  private segments: SpoolSegment[] = [];
  private current: SpoolSegment | undefined;
  /** Takes the frames that are too large for the path; nothing else is written to it. */
  private wide: SpoolSegment | undefined;
  private restUntilMs = 0;
  private heartbeat: ReturnType<typeof setInterval> | undefined;
  private isClosed = false;

  constructor(placement: SpoolPlacement, limits: SegmentLimits) {
    this.placement = placement;
    this.limits = limits;
  }

  /** The folder of this process, once there is something in it. */
  get directory(): string | undefined {
    return this.folder;
  }

  /** How many bytes they take on the disk. */
  get sizeBytes(): number {
    return this.segments.reduce((sum, { isGone, sizeBytes }) => sum + (isGone ? 0 : sizeBytes), 0);
  }

  /** The file to write to; undefined where the disk takes nothing for now. */
  segmentFor(which: 'current' | 'wide'): SpoolSegment | undefined {
    const segment = this[which];
    if (segment !== undefined && !segment.isGone && !segment.isSpent(this.limits.segmentBytesMax)) return segment;
    segment?.seal();
    this[which] = undefined;
    if (this.isClosed || pristine.performanceNow() < this.restUntilMs) return undefined;
    this.folder ??= this.prepareFolder();
    if (this.folder === undefined) {
      this.restUntilMs = pristine.performanceNow() + SPOOL_RETRY_MS;
      return undefined;
    }
    this.number += 1;
    const made = new SpoolSegment(join(this.folder, `${String(this.number).padStart(8, '0')}${SEGMENT_ENDING}`));
    this[which] = made;
    this.segments = [...this.segments.filter(({ isGone }) => !isGone), made];
    this.makeRoom();
    return made;
  }

  /** Oldest first: what happened last is what somebody will ask about. */
  private makeRoom(): void {
    for (const segment of [...this.segments]) {
      if (this.sizeBytes + this.limits.segmentBytesMax <= this.limits.bytesMax) return;
      if (segment !== this.current && segment !== this.wide) segment.remove();
      this.segments = this.segments.filter(({ isGone }) => !isGone);
    }
  }

  private prepareFolder(): string | undefined {
    const place = requirePlace(this.placement.places);
    if (place === undefined) return undefined;
    const folder = join(place, folderName(this.placement.owner));
    // It is there where the disk took it, and not what is written next.
    mkdirSync(folder, { mode: 0o700, recursive: true });
    const { about: destination, sender } = this.placement;
    writeText(join(folder, ABOUT_FILE), JSON.stringify({ destination, sender, startedBy: ancestorNames() }));
    const touch = (): void => {
      const nowSeconds = pristine.dateNow() / 1_000;
      guarded('touching the spool', () => utimesSync(folder, nowSeconds, nowSeconds), undefined);
    };
    this.heartbeat = outsideContexts(() => pristine.setInterval(touch, SPOOL_HEARTBEAT_MS));
    this.heartbeat.unref();
    return folder;
  }

  /** The disk did not take a frame: what is written next goes to new files, and not before a while. */
  rest(thrown: unknown): void {
    reportNoSpool(this.folder ?? this.placement.places.join(', '), thrown);
    this.restUntilMs = pristine.performanceNow() + SPOOL_RETRY_MS;
    this.current?.seal();
    this.wide?.seal();
    this.current = undefined;
    this.wide = undefined;
  }

  /** What is too large for the path goes to a new file from now on: a write may be under way in this one. */
  leaveWide(): void {
    this.wide = undefined;
  }

  /** Ends with the process, and removes the folder where nothing in it waits for delivery. Returns it where something does. */
  close(): string | undefined {
    this.isClosed = true;
    if (this.heartbeat !== undefined) pristine.clearInterval(this.heartbeat);
    const { folder } = this;
    if (folder === undefined) return undefined;
    for (const segment of this.segments) segment.close();
    if (this.segments.some(({ hasWaiting }) => hasWaiting)) return folder;
    guarded('removing the spool', () => rmSync(folder, { recursive: true, force: true }), undefined);
    return undefined;
  }
}

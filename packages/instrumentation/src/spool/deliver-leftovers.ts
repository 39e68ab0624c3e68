import * as files from 'node:fs';
import { join } from 'node:path';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { pristine } from '../host/pristine.ts';
import { guarded, reportFailure } from '../host/report-failure.ts';
import { BATCH_BYTES_MAX, BATCH_SPANS_MAX, SPOOL_LEFTOVER_BYTES_MAX } from '../limits.ts';
import { exportBatch } from '../sending/export-batch.ts';
import { type LeftoverFile, type LeftoverSpan, leftoverFiles } from './leftover-spans.ts';
import { adoptFolder, leftByDescendants, listSpoolFoldersInTurns, type SpoolFolder } from './spool-folders.ts';
import type { SpoolOwner } from './spool-owner.ts';
import { SpoolSegment } from './spool-segment.ts';
import { isSameSender } from './spool-sender.ts';

// Taken out of the module record, which the guard of a replay rewrites.
const { readdirSync, renameSync, rmSync } = { ...files };

/** Ends in the name of a folder that holds frames which this version could not read. */
const UNREADABLE_ENDING = '.unreadable';

/** Ends in the name of a folder that is being removed: nobody reads it any more. */
const DELIVERED_ENDING = '.delivered';

/** What came of leftovers, in spans. */
export interface DeliveredLeftovers {
  readonly delivered: number;
  /** How many of these went without their payloads: they alone were too large for the collector. */
  readonly cut: number;
  /** The collector refused them for good. */
  readonly refused: number;
  /** Given up because leftovers took too much room: oldest segments first. Segments, not spans. */
  readonly segmentsGivenUp: number;
  /** Frames that are whole and say nothing this version can read. */
  readonly unreadable: number;
  /** Folders that stay, because their processes sent as somebody else. */
  readonly ofOthers: number;
  /** False where the collector could not be reached, or it was ended before; what is left stays where it is. */
  readonly isDone: boolean;
  /** Why the collector took nothing more; undefined where it did, or somebody else ended it. */
  readonly failure?: string | undefined;
}

interface Tally {
  delivered: number;
  cut: number;
  refused: number;
  unreadable: number;
  failure?: string;
}

/** Whose leftovers to deliver where. */
export interface LeftoverDelivery {
  readonly place: string;
  readonly owner: SpoolOwner;
  readonly exporter: SpanExporter;
  /** As whom the exporter sends (`senderOf`): what was left as somebody else stays. Undefined: what anybody left. */
  readonly sender?: string | undefined;
  /** Bytes that leftovers of dead processes may take. */
  readonly leftoverBytesMax?: number;
  /** Waited for before each request; false ends it there. Left out: nothing does. */
  readonly mayGoOn?: () => Promise<boolean>;
}

/** Where spans go, and what came of them. */
interface Delivery {
  readonly exporter: SpanExporter;
  readonly tally: Tally;
  readonly mayGoOn: () => Promise<boolean>;
}

/** For whoever delivers and nothing else: the event loop gets its turn, and it goes on. */
function turned(): Promise<boolean> {
  return new Promise((resolve) => pristine.setImmediate(resolve, true));
}

function noTally(): Tally {
  return { delivered: 0, cut: 0, refused: 0, unreadable: 0 };
}

function takeBatch(spans: readonly LeftoverSpan[]): LeftoverSpan[] {
  let bytes = 0;
  const batch: LeftoverSpan[] = [];
  for (const span of spans.slice(0, BATCH_SPANS_MAX)) {
    if (batch.length > 0 && bytes + span.bytes > BATCH_BYTES_MAX) break;
    bytes += span.bytes;
    batch.push(span);
  }
  return batch;
}

/** Exports these spans and notes in the file what needs no delivery any more. False where the collector is not there. */
async function deliverSpans(
  exporter: SpanExporter,
  segment: SpoolSegment,
  spans: readonly LeftoverSpan[],
  tally: Tally,
): Promise<boolean> {
  const outcome = await exportBatch(
    exporter,
    spans.map(({ span }) => span),
  );
  switch (outcome.type) {
    case 'failed':
      tally.failure = outcome.detail;
      return false;
    case 'refused':
      if (spans.length > 1) return deliverSingly(exporter, segment, spans, tally);
      tally.refused += 1;
      break;
    case 'delivered':
      tally.delivered += spans.length - (outcome.rejected?.count ?? 0);
      tally.refused += outcome.rejected?.count ?? 0;
      if (outcome.cut !== undefined) tally.cut += 1;
      break;
  }
  segment.settle(spans.map(({ offset }) => offset));
  return true;
}

async function deliverSingly(
  exporter: SpanExporter,
  segment: SpoolSegment,
  spans: readonly LeftoverSpan[],
  tally: Tally,
): Promise<boolean> {
  for (const span of spans) if (!(await deliverSpans(exporter, segment, [span], tally))) return false;
  return true;
}

async function deliverFile(file: LeftoverFile, { exporter, tally, mayGoOn }: Delivery): Promise<boolean> {
  tally.unreadable += file.unreadableCount;
  const segment = new SpoolSegment(file.path);
  // What was torn when the process died must not stand before what is noted now.
  segment.cutTo(file.endBytes);
  for (const _ of file.spans) segment.expect();
  for (let left = file.spans; left.length > 0; ) {
    const batch = takeBatch(left);
    if (!(await mayGoOn()) || !(await deliverSpans(exporter, segment, batch, tally))) {
      segment.close();
      return false;
    }
    left = left.slice(batch.length);
  }
  segment.close();
  return true;
}

/** Delivers one folder, which must be the caller's own or one whose process waits for it. Removes it when all is delivered. */
async function deliverOne(path: string, delivery: Delivery): Promise<boolean> {
  const { tally } = delivery;
  const unreadableBefore = tally.unreadable;
  for await (const file of leftoverFiles(path)) if (!(await deliverFile(file, delivery))) return false;
  // Another version may read what this one cannot: nobody else looks at a folder of this name, and nobody removes it.
  if (tally.unreadable > unreadableBefore) renameSync(path, `${path}${UNREADABLE_ENDING}`);
  else removeDelivered(path);
  return true;
}

/** Out of everybody's sight first: a part of the files would tell of starts whose ends are gone. */
function removeDelivered(path: string): void {
  renameSync(path, `${path}${DELIVERED_ENDING}`);
  rmSync(`${path}${DELIVERED_ENDING}`, { recursive: true, force: true });
}

/** What a process that died while it removed a folder left of it. */
function sweepDelivered(place: string): void {
  const names = guarded('looking for delivered spools', () => readdirSync(place), []);
  for (const name of names.filter((candidate) => candidate.endsWith(DELIVERED_ENDING))) {
    guarded('removing a delivered spool', () => rmSync(join(place, name), { recursive: true, force: true }), undefined);
  }
}

async function deliverAdopted(path: string, delivery: Delivery): Promise<boolean> {
  try {
    return await deliverOne(path, delivery);
  } catch (thrown) {
    reportFailure('delivering a spool', thrown);
    return false;
  }
}

/** Delivers the spool in one folder, whoever owns it: for a process that ends and waits for this one. */
export async function deliverSpoolFolder(path: string, exporter: SpanExporter): Promise<DeliveredLeftovers> {
  const tally = noTally();
  const isDone = await deliverOne(path, { exporter, tally, mayGoOn: turned });
  return { ...tally, segmentsGivenUp: 0, ofOthers: 0, isDone };
}

/** Oldest first: what happened last is what somebody will ask about. */
function giveUpOldest(folders: readonly SpoolFolder[], { place, owner, leftoverBytesMax }: LeftoverDelivery): number {
  let bytes = folders.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let segments = 0;
  for (const folder of folders) {
    if (bytes <= (leftoverBytesMax ?? SPOOL_LEFTOVER_BYTES_MAX)) break;
    const path = adoptFolder(place, folder, owner);
    if (path === undefined) continue;
    rmSync(path, { recursive: true, force: true });
    bytes -= folder.sizeBytes;
    segments += folder.segmentCount;
  }
  if (segments > 0) reportFailure('keeping leftovers of the spool', new RangeError(`${segments} segments given up`));
  return segments;
}

/**
 * Delivers what processes that are gone left in the spool for the same destination. A folder is adopted by a rename first, so
 * that it is delivered once, and those of live processes are never touched.
 */
export async function deliverLeftovers(delivery: LeftoverDelivery): Promise<DeliveredLeftovers> {
  const { place, owner } = delivery;
  sweepDelivered(place);
  const folders = await listSpoolFoldersInTurns(place, owner.scope, delivery.mayGoOn ?? turned);
  if (folders === undefined) return { ...noTally(), segmentsGivenUp: 0, ofOthers: 0, isDone: false };
  const left = folders.filter((folder) => folder.isLeftBehind);
  const segmentsGivenUp = giveUpOldest(left, delivery);
  const meant = left.filter((candidate) => candidate.owner.destination === owner.destination);
  const own = meant.filter((candidate) => isSameSender(candidate.sender, delivery.sender));
  return { ...(await deliverAll(own, delivery)), segmentsGivenUp, ofOthers: meant.length - own.length };
}

async function deliverAll(
  folders: readonly SpoolFolder[],
  { place, owner, exporter, mayGoOn = turned }: LeftoverDelivery,
): Promise<Tally & { readonly isDone: boolean }> {
  const tally = noTally();
  for (const folder of folders) {
    const path = adoptFolder(place, folder, owner);
    if (path === undefined) continue;
    if (await deliverAdopted(path, { exporter, tally, mayGoOn })) continue;
    // Back under the name of the one that left it, so that whoever comes next finds it.
    guarded('giving a spool back', () => renameSync(path, folder.path), undefined);
    return { ...tally, isDone: false };
  }
  return { ...tally, isDone: true };
}

function ofDescendants({ place, owner, sender }: Pick<LeftoverDelivery, 'place' | 'owner' | 'sender'>): SpoolFolder[] {
  return leftByDescendants(place, owner).filter((folder) => isSameSender(folder.sender, sender));
}

/** Whether there is anything that `deliverDescendants` would deliver. */
export function hasOfDescendants(delivery: Pick<LeftoverDelivery, 'place' | 'owner' | 'sender'>): boolean {
  return ofDescendants(delivery).length > 0;
}

/** Delivers what processes left that this one, or one of them, has started, and that are gone. False where not all of it was. */
export async function deliverDescendants(delivery: LeftoverDelivery): Promise<boolean> {
  const { isDone } = await deliverAll(ofDescendants(delivery), delivery);
  return isDone;
}

/** Makes the same folders one's own, for a process that ends now and has another one deliver them (`deliverSpoolFolder`). Synchronous. */
export function adoptDescendants(delivery: Pick<LeftoverDelivery, 'place' | 'owner' | 'sender'>): string[] {
  return ofDescendants(delivery).flatMap((folder) => adoptFolder(delivery.place, folder, delivery.owner) ?? []);
}

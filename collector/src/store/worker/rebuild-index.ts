import type { DatabaseSync } from 'node:sqlite';
import type { Disk } from '../files/disk.ts';
import type { ItemIndex } from '../index/item-index.ts';
import { rowKeyOf } from '../index/row-key.ts';
import { type Batch, decodeBatch } from '../log/batch.ts';
import { type ChainRecord, readChain } from '../log/chain-archive.ts';
import { type Frame, holdsBatch } from '../log/frame.ts';
import { countDigests, digestItems } from '../log/item-digest.ts';
import { Receipts } from '../log/receipts.ts';
import { framesOf, listSegments, readSegment } from '../log/segment-files.ts';
import { emptyLogHead, type LogHead } from '../log/segment-header.ts';
import type { TellOpening } from '../opening-step.ts';
import { type BlockPlace, listPacks, PackReader, packOf } from '../pack/pack-file.ts';
import type { RebuiltIndex } from '../store.ts';
import { type ControlBody, decodeControl } from './control-frame.ts';
import type { Eraser } from './eraser.ts';
import { readQueueFloors } from './queue-floors.ts';
import { countQueued, type QueuedFrame, requeueFrames, requeueFromFloors, sortQueue } from './requeue.ts';

/** What the files say beside the items themselves. */
interface FileFacts {
  readonly receipts: Receipts;
  readonly controls: { readonly body: ControlBody; readonly beforeId: number }[];
  /** Ids of log records that were deleted by themselves. */
  readonly erasedRecords: Set<number>;
  /** What the log still holds and was queued. */
  readonly queued: QueuedFrame[];
  /** What comes behind the newest frame that can be read. */
  end: LogHead;
  /** Whether frames are missing. */
  isIncomplete: boolean;
  /** Given to what is of a frame that is missing: it is never older in the index than it is. */
  readonly nowMs: number;
}

function noteFrame(facts: FileFacts, frame: ChainRecord | Frame, items: number): void {
  const { kind, sequence, firstId, receivedMs, body, link } = frame;
  if (sequence === facts.end.sequence) facts.receipts.endAt(facts.end.nextId, firstId);
  else facts.isIncomplete = true;
  const nextId = firstId + items;
  if (holdsBatch(kind)) facts.receipts.add(firstId, nextId, receivedMs);
  else noteControl(facts, decodeControl(body), firstId);
  facts.end = { sequence: sequence + 1, nextId, link: Buffer.from(link) };
}

function noteControl({ controls, erasedRecords }: FileFacts, body: ControlBody, beforeId: number): void {
  controls.push({ body, beforeId });
  if (body.type === 'erase') for (const id of body.records ?? []) erasedRecords.add(id);
}

function readFacts(disk: Disk, dataDirectory: string): FileFacts {
  const facts: FileFacts = {
    receipts: new Receipts(),
    controls: [],
    erasedRecords: new Set(),
    queued: [],
    end: emptyLogHead(),
    isIncomplete: false,
    nowMs: Date.now(),
  };
  for (const record of readChain(disk, dataDirectory)) noteFrame(facts, record, countDigests(record.itemDigests));
  const segments = listSegments(disk, dataDirectory);
  // There is always one, however little it holds.
  if (segments.length === 0) facts.isIncomplete = true;
  for (const segment of segments) {
    const read = readSegment(disk, dataDirectory, segment);
    for (const { frame } of framesOf(read, read.head?.sequence ?? 0)) {
      const queued = holdsBatch(frame.kind) ? queuedFrameOf(frame) : undefined;
      if (frame.kind === 'items' && queued !== undefined) facts.queued.push(queued);
      // One that is in the chain already, as after a crash, is nothing new.
      if (frame.sequence < facts.end.sequence) continue;
      noteFrame(facts, frame, queued === undefined ? 0 : queued.lastId - queued.firstId + 1);
    }
  }
  return facts;
}

function queuedFrameOf({ body, firstId }: Frame): QueuedFrame {
  const { destinations, passed = [], items } = decodeBatch(body, firstId);
  return { firstId, lastId: items.at(-1)?.id ?? firstId, destinations, passed };
}

function receivedMsOf(facts: FileFacts, id: number): number {
  const receivedMs = facts.receipts.receivedMsOf(id);
  if (receivedMs !== undefined) return receivedMs;
  facts.isIncomplete = true;
  return facts.nowMs;
}

/** Whether a deletion that is in the files covers an item whose bytes were still found in an old pack. */
function isErased(facts: FileFacts, batch: Batch, traceId: string, id: number): boolean {
  if (facts.erasedRecords.has(id)) return true;
  const rowKey = rowKeyOf(traceId, receivedMsOf(facts, id));
  return facts.controls.some(
    ({ body, beforeId }) =>
      body.type === 'erase' &&
      id < beforeId &&
      body.traces.some(([tenant, erased]) => tenant === batch.tenant && erased === rowKey),
  );
}

interface Parts {
  readonly database: DatabaseSync;
  readonly index: ItemIndex;
  readonly eraser: Eraser;
  readonly disk: Disk;
  readonly dataDirectory: string;
  /** No number below it is given again. */
  readonly floor: LogHead;
  readonly tell: TellOpening;
}

/**
 * Fills an empty index from the packs, lets `readLog` add what the log holds, as at every start, and queues again what may not have been
 * delivered; inside a transaction. `readLog` is given what comes behind everything that was found: where the log is lost it goes on there.
 * What is damaged is left out: `reenact store verify` names it. Undefined where there was nothing to make it of.
 */
export function rebuildIndex(parts: Parts, readLog: (behind: LogHead) => void): RebuiltIndex | undefined {
  const { database, index, disk, dataDirectory } = parts;
  const facts = fillFromPacks(parts);
  const hasSettled = database.prepare('SELECT 1 FROM item LIMIT 1').get() !== undefined;
  // Most was told to those who follow runs: all that has come since is.
  database.exec('UPDATE trace SET summary_number = changed_by, summary_revision = -revision');
  const floors = readQueueFloors(disk, dataDirectory);
  requeueFromFloors(database, floors ?? new Map());
  readLog(endOf(parts, facts));
  // Each item had about one summary written, so that this is behind what was told; who was told more, as of content that was looked for again and again, begins anew.
  const last = Number(database.prepare('SELECT max(id) AS id FROM item').get()?.id ?? 0);
  index.state.write('summary_number', 2 * last);
  requeueFrames(database, facts.queued);
  sortQueue(database);
  if (database.prepare('SELECT 1 FROM item LIMIT 1').get() === undefined) return undefined;
  const areQueuesLost = hasSettled && floors === undefined;
  return { queuedAgain: countQueued(database), areQueuesLost, areFramesMissing: facts.isIncomplete };
}

function endOf({ database, floor }: Parts, { end }: FileFacts): LogHead {
  const last = Number(database.prepare('SELECT max(id) AS id FROM item').get()?.id ?? 0);
  const { sequence, link } = end.sequence >= floor.sequence ? end : floor;
  return { sequence, link, nextId: Math.max(end.nextId, floor.nextId, last + 1) };
}

function fillFromPacks({ database, index, eraser, disk, dataDirectory, tell }: Parts): FileFacts {
  tell({ what: 'reading chain and log', done: 0, total: 0 });
  const facts = readFacts(disk, dataDirectory);
  const insertPack = database.prepare('INSERT INTO pack (id, bytes) VALUES (?, 0)');
  const measurePack = database.prepare('UPDATE pack SET bytes = ?, is_hurried = ? WHERE id = ?');
  const packs = listPacks(disk, dataDirectory);
  for (const [done, pack] of packs.entries()) {
    tell({ what: 'making the index again', done, total: packs.length });
    let bytes = 0;
    let isHurried = false;
    insertPack.run(pack);
    const reader = new PackReader(disk, dataDirectory, pack);
    for (const found of reader.blocks()) {
      if ('damagedAt' in found) continue;
      bytes = found.place.offset + found.place.bytes;
      isHurried ||= found.isHurried;
      addBlock(database, index, facts, found.place, found.raw);
    }
    reader.close();
    measurePack.run(bytes, isHurried ? 1 : 0, pack);
    index.state.write('next_pack', pack);
  }
  for (const { body } of facts.controls) {
    if (body.type === 'keep') eraser.keep(body.tenant, body.traceId, body.reason);
    // Nobody has asked for what has come since to be kept.
    else for (const [tenant, traceId] of body.traces) eraser.keep(tenant, traceId, null);
  }
  return facts;
}

/** The ids that what is in a block begins and ends with, also where it was deleted. */
function idsOf({ items }: Batch): [first: number | null, last: number | null] {
  return [items[0]?.id ?? null, items.at(-1)?.id ?? null];
}

function addBlock(database: DatabaseSync, index: ItemIndex, facts: FileFacts, place: BlockPlace, raw: Buffer): void {
  const batch = decodeBatch(raw, 1);
  const items = batch.items.filter(({ traceId, id }) => !isErased(facts, batch, traceId, id));
  const kept = { ...batch, items };
  const receivedMs = items.reduce((latest, { id }) => Math.max(latest, receivedMsOf(facts, id)), 0);
  const markErasing = database.prepare('UPDATE pack SET is_erasing = 1 WHERE id = ?');
  const { stored } = index.add(kept, digestItems(kept), receivedMs, place.block);
  const traceId = Buffer.from(rowKeyOf(batch.items[0]?.traceId ?? '', receivedMs), 'hex');
  const row = database.prepare('SELECT id FROM trace WHERE tenant = ? AND trace_id = ?').get(batch.tenant, traceId);
  // Bytes of something that was deleted: the process ended before its pack was rewritten, so that is done again.
  if (items.length < batch.items.length) markErasing.run(packOf(place.block));
  if (row === undefined) return;
  const trace = Number(row.id);
  const isDead = stored.length === 0 ? 1 : 0;
  database
    .prepare('INSERT INTO block VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
    .run(place.block, trace, place.offset, place.bytes, place.rawBytes, isDead, ...idsOf(batch));
}

import type { DatabaseSync } from 'node:sqlite';
import type { Disk } from '../disk.ts';
import type { ItemIndex } from '../index/item-index.ts';
import { rowKeyOf } from '../index/row-key.ts';
import { type Batch, decodeBatch } from '../log/batch.ts';
import { type ChainRecord, readChain } from '../log/chain-archive.ts';
import { type Frame, holdsBatch } from '../log/frame.ts';
import { digestItems } from '../log/item-digest.ts';
import { framesOf, listSegments, readSegment } from '../log/segment-files.ts';
import { type BlockPlace, listPacks, PackReader, packOf } from '../pack/pack-file.ts';
import type { RebuiltIndex } from '../store.ts';
import { type ControlBody, decodeControl } from './control-frame.ts';
import type { Eraser } from './eraser.ts';
import { readQueueFloors } from './queue-floors.ts';
import { countQueued, type QueuedFrame, requeueFrames, requeueFromFloors, sortQueue } from './requeue.ts';

/** What the files say beside the items themselves. */
interface FileFacts {
  /** Receipt of items, by the first id of their frame, in order. */
  readonly receipts: { readonly firstId: number; readonly receivedMs: number }[];
  readonly controls: { readonly body: ControlBody; readonly beforeId: number }[];
  /** What the log still holds and was queued. */
  readonly queued: QueuedFrame[];
}

function readFacts(disk: Disk, dataDirectory: string): FileFacts {
  const facts: FileFacts = { receipts: [], controls: [], queued: [] };
  const note = ({ kind, firstId, receivedMs, body }: Pick<ChainRecord, 'kind' | 'firstId' | 'receivedMs' | 'body'>) => {
    if (holdsBatch(kind)) facts.receipts.push({ firstId, receivedMs });
    else facts.controls.push({ body: decodeControl(body), beforeId: firstId });
  };
  for (const record of readChain(disk, dataDirectory)) note(record);
  for (const segment of listSegments(disk, dataDirectory)) {
    const read = readSegment(disk, dataDirectory, segment);
    for (const { frame } of framesOf(read, read.head?.sequence ?? 0)) {
      note(frame);
      if (frame.kind === 'items') facts.queued.push(queuedFrameOf(frame));
    }
  }
  return facts;
}

function queuedFrameOf({ body, firstId }: Frame): QueuedFrame {
  const { destinations, passed = [], items } = decodeBatch(body, firstId);
  return { firstId, lastId: items.at(-1)?.id ?? firstId, destinations, passed };
}

function receivedMsOf({ receipts }: FileFacts, id: number): number {
  let low = 0;
  let high = receipts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((receipts[middle]?.firstId ?? 0) <= id) low = middle + 1;
    else high = middle;
  }
  return receipts[low - 1]?.receivedMs ?? Date.now();
}

/** Whether a deletion that is in the files covers an item whose bytes were still found in an old pack. */
function isErased(facts: FileFacts, batch: Batch, traceId: string, id: number): boolean {
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
}

/**
 * Fills an empty index from the packs, lets `readLog` add what the log holds, as at every start, and queues again what may not have been
 * delivered; inside a transaction. What is damaged is left out: `reenact store verify` names it. Undefined where there was nothing to make it of.
 */
export function rebuildIndex(parts: Parts, readLog: () => void): RebuiltIndex | undefined {
  const { database, disk, dataDirectory } = parts;
  const queued = fillFromPacks(parts);
  const hasSettled = database.prepare('SELECT 1 FROM item LIMIT 1').get() !== undefined;
  const floors = readQueueFloors(disk, dataDirectory);
  requeueFromFloors(database, floors ?? new Map());
  readLog();
  requeueFrames(database, queued);
  sortQueue(database);
  if (database.prepare('SELECT 1 FROM item LIMIT 1').get() === undefined) return undefined;
  return { queuedAgain: countQueued(database), areQueuesLost: hasSettled && floors === undefined };
}

function fillFromPacks({ database, index, eraser, disk, dataDirectory }: Parts): readonly QueuedFrame[] {
  const facts = readFacts(disk, dataDirectory);
  const insertPack = database.prepare('INSERT INTO pack (id, bytes) VALUES (?, 0)');
  const measurePack = database.prepare('UPDATE pack SET bytes = ?, is_hurried = ? WHERE id = ?');
  for (const pack of listPacks(disk, dataDirectory)) {
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
  }
  return facts.queued;
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
    .prepare('INSERT INTO block VALUES (?, ?, ?, ?, ?, ?)')
    .run(place.block, trace, place.offset, place.bytes, place.rawBytes, isDead);
}

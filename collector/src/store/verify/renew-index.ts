import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ReenactError } from '@reenact/trace-model/reenact-error';
import { inTransaction } from '../database/in-transaction.ts';
import { IndexState } from '../database/index-state.ts';
import { INDEX_FILE } from '../database/schema.ts';
import { systemDisk } from '../files/disk.ts';
import type { LogPosition } from '../log/segment-log.ts';
import type { RebuiltIndex } from '../store.ts';
import { isFailedRead, toStoreError } from '../store-error.ts';
import { sortQueue } from '../worker/requeue.ts';
import { StoreWriter } from '../worker/store-writer.ts';
import { mendHeads } from './mend-heads.ts';
import { readThrough } from './read-through.ts';

type Row = Readonly<Record<string, unknown>>;

/** What an index holds that no other file does, up to where it had read the log; and what the chain would say, were it whole. */
interface Carried {
  /** Where the log went on. */
  readonly position: LogPosition;
  readonly entries: readonly Row[];
  readonly metrics: readonly Row[];
  readonly keptRuns: readonly Row[];
}

/** Makes the index again from the other files, whose damaged heads are written anew where it is known what they said. Queues are carried over where they can be read, else what may not have been delivered is queued again. */
export function renewIndex(dataDirectory: string): RebuiltIndex | undefined {
  const index = join(dataDirectory, INDEX_FILE);
  const carried = readCarried(index);
  mendHeads(systemDisk, dataDirectory);
  for (const suffix of ['-wal', '-shm', '']) rmSync(`${index}${suffix}`, { force: true });
  const floor = carried === undefined ? {} : { floor: carried.position };
  const writer = new StoreWriter({ dataDirectory, disk: systemDisk, isSalvaging: true, ...floor });
  const { database, rebuilt } = writer;
  if (carried !== undefined) inTransaction(database, true, () => carryOver(database, carried));
  writer.close();
  return carried === undefined ? rebuilt : undefined;
}

/** What the old index had not read of the log yet, as after a power cut, was queued as the new one read it, and stays. */
function carryOver(database: DatabaseSync, { position, entries, metrics, keptRuns }: Carried): void {
  const { nextId } = position;
  database.prepare('DELETE FROM queue WHERE item < ?').run(nextId);
  database.prepare('DELETE FROM metrics_request WHERE id < ?').run(nextId);
  const queue = database.prepare(
    'INSERT INTO queue (destination, signal, item, passed, queued_ms) VALUES (?, ?, ?, ?, ?)',
  );
  for (const { destination, signal, item, passed = '', queued_ms = null } of entries)
    queue.run(
      String(destination),
      Number(signal),
      Number(item),
      String(passed),
      queued_ms === null ? null : Number(queued_ms),
    );
  const keep = database.prepare('INSERT OR REPLACE INTO metrics_request (id, format, bytes) VALUES (?, ?, ?)');
  for (const { id, format, bytes } of metrics) keep.run(Number(id), Number(format), bytes as Uint8Array);
  sortQueue(database);
  const mark = database.prepare('UPDATE trace SET kept = ? WHERE tenant = ? AND trace_id = ? AND kept IS NULL');
  for (const { kept, tenant, trace_id } of keptRuns) mark.run(String(kept), String(tenant), trace_id as Uint8Array);
}

function readCarried(index: string): Carried | undefined {
  if (!existsSync(index)) return undefined;
  for (const path of [index, `${index}-wal`]) needReadable(path);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(index);
    const position = new IndexState(database).readPosition();
    if (position === undefined) return undefined;
    const entries = database.prepare('SELECT * FROM queue ORDER BY id').all();
    const metrics = database.prepare('SELECT id, format, bytes FROM metrics_request').all();
    return { position, entries, metrics, keptRuns: readKeptRuns(database) };
  } catch (thrown) {
    if (isFailedRead(thrown)) throw unreadable(thrown, index);
    return undefined;
  } finally {
    database?.close();
  }
}

/** What the disk does not give may still be there: made again, the index would be without it. */
function needReadable(path: string): void {
  try {
    readThrough(path);
  } catch (thrown) {
    throw unreadable(thrown, path);
  }
}

function unreadable(thrown: unknown, where: string): ReenactError {
  const { code, message, next } = toStoreError(thrown, where);
  const otherwise =
    'Where it stays so, move index.sqlite elsewhere and run this again: what waits to be sent on is queued again, some of it twice.';
  return new ReenactError(code, message, { where, next: `${next} ${otherwise}`, cause: thrown });
}

function readKeptRuns(database: DatabaseSync): readonly Row[] {
  try {
    return database.prepare('SELECT tenant, trace_id, kept FROM trace WHERE kept IS NOT NULL').all();
  } catch {
    return [];
  }
}

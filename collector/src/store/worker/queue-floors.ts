import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { decodeCheckedJson, encodeCheckedJson } from '../files/checked-json.ts';
import type { Disk } from '../files/disk.ts';
import { readWhole, replaceFile } from '../files/replace-file.ts';

/** The file that says where the queue of each destination begins. */
export const QUEUE_FLOORS_FILE = 'queues.json';

/** By destination, the item that has waited longest: everything before it was delivered or given up. */
export type Floors = ReadonlyMap<string, number>;

/**
 * Keeps beside the index where each queue begins. What has left the log is queued in the index alone, so an index that is lost would take with it
 * what a destination was still to be sent. A floor that is too low costs deliveries that were made before, never one that was not.
 */
export class QueueFloors {
  private readonly disk: Disk;
  private readonly dataDirectory: string;
  private readonly nextDestination: StatementSync;
  private readonly oldest: StatementSync;
  private written: string | undefined;

  constructor(database: DatabaseSync, disk: Disk, dataDirectory: string) {
    this.disk = disk;
    this.dataDirectory = dataDirectory;
    this.nextDestination = database.prepare(
      'SELECT destination FROM queue WHERE destination > ? ORDER BY destination LIMIT 1',
    );
    this.oldest = database.prepare('SELECT item FROM queue WHERE destination = ? ORDER BY id LIMIT 1');
  }

  /**
   * Writes, where they have changed, the floors as the index has them; called before anything leaves the log. Where they cannot be written those from before stay,
   * which are no higher: a full disk must not keep what has settled in the log.
   */
  write(): void {
    try {
      this.writeChanged();
    } catch {
      this.written = undefined;
    }
  }

  private writeChanged(): void {
    const floors: Record<string, number> = {};
    for (let name = this.after(''); name !== undefined; name = this.after(name))
      floors[name] = Number(this.oldest.get(name)?.item);
    const bytes = encodeCheckedJson({ oldestQueuedItems: floors });
    const text = bytes.toString();
    if (text === this.written) return;
    replaceFile(this.disk, this.dataDirectory, QUEUE_FLOORS_FILE, [bytes]);
    this.written = text;
  }

  private after(name: string): string | undefined {
    const destination = this.nextDestination.get(name)?.destination;
    return destination === undefined ? undefined : String(destination);
  }
}

/** The floors as they were written last; undefined where there are none, or they cannot be read. */
export function readQueueFloors(disk: Disk, dataDirectory: string): Floors | undefined {
  if (!disk.list(dataDirectory).includes(QUEUE_FLOORS_FILE)) return undefined;
  try {
    const bytes = readWhole(disk, `${dataDirectory}/${QUEUE_FLOORS_FILE}`);
    const { oldestQueuedItems } = decodeCheckedJson(bytes) as { oldestQueuedItems: Record<string, number> };
    const floors = Object.entries(oldestQueuedItems);
    return floors.every(([, item]) => Number.isSafeInteger(item)) ? new Map(floors) : undefined;
  } catch {
    return undefined;
  }
}

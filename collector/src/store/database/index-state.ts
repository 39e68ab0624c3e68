import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { LogPosition } from '../log/segment-log.ts';
import { damagedIndex } from '../store-error.ts';

/** Four numbers and a link; behind them their CRC-32, since November 2026. */
const POSITION_BYTES = 64;
const CHECKED_POSITION_BYTES = POSITION_BYTES + 4;

/** Running totals, kept so that statistics never count rows. */
export interface Totals {
  readonly spans: number;
  readonly logRecords: number;
  readonly traces: number;
}

/** Single values of the index: how far it has read the log, running totals, the next pack. */
export class IndexState {
  private readonly select: StatementSync;
  private readonly upsert: StatementSync;
  private readonly increase: StatementSync;

  constructor(database: DatabaseSync) {
    this.select = database.prepare('SELECT value FROM state WHERE name = ?');
    this.upsert = database.prepare('INSERT INTO state VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value');
    this.increase = database.prepare(
      'INSERT INTO state VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value',
    );
  }

  /**
   * Where the log continues; undefined in a new index. Throws what counts as a damaged database where it is not as it was written: frames that were
   * acknowledged would be written over.
   */
  readPosition(): LogPosition | undefined {
    const value = this.select.get('log')?.value;
    if (!(value instanceof Uint8Array)) return undefined;
    const bytes = Buffer.from(value);
    const isWhole = bytes.length === CHECKED_POSITION_BYTES ? isChecked(bytes) : bytes.length === POSITION_BYTES;
    if (!isWhole) throw damagedIndex('it does not say where the log ends');
    return {
      segment: Number(bytes.readBigUInt64LE(0)),
      offset: Number(bytes.readBigUInt64LE(8)),
      sequence: Number(bytes.readBigUInt64LE(16)),
      nextId: Number(bytes.readBigUInt64LE(24)),
      link: bytes.subarray(32, 64),
    };
  }

  /** In the transaction that made it true. */
  writePosition({ segment, offset, sequence, nextId, link }: LogPosition): void {
    const bytes = Buffer.alloc(CHECKED_POSITION_BYTES);
    [segment, offset, sequence, nextId].forEach((value, index) => {
      bytes.writeBigUInt64LE(BigInt(value), index * 8);
    });
    bytes.set(link, 32);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, POSITION_BYTES)), POSITION_BYTES);
    this.upsert.run('log', bytes);
  }

  /** The number of the summary that was written last; at least that of the last item, so that it goes on where an index is made again. */
  lastSummary(): number {
    return Math.max(this.read('summary_number'), (this.readPosition()?.nextId ?? 1) - 1);
  }

  /** The number of a summary that is written in this transaction; `lastItem`: id of the last item. */
  nextSummary(lastItem: number): number {
    const number = Math.max(this.read('summary_number'), lastItem) + 1;
    this.write('summary_number', number);
    return number;
  }

  add(total: keyof Totals, count: number): void {
    if (count !== 0) this.increase.run(total, count);
  }

  read(name: string): number {
    return Number(this.select.get(name)?.value ?? 0);
  }

  write(name: string, value: number): void {
    this.upsert.run(name, value);
  }
}

function isChecked(bytes: Buffer): boolean {
  return crc32(bytes.subarray(0, POSITION_BYTES)) === bytes.readUInt32LE(POSITION_BYTES);
}

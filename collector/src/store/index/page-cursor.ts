import { createHash } from 'node:crypto';
import { ReenactError } from '@reenact/trace-model/reenact-error';

/** The place in a list after which a page begins: a time in nanoseconds, and what tells rows of one time apart. */
export interface TimeCursor {
  readonly time: bigint;
  /** 16 bytes. */
  readonly id: Uint8Array;
}

/** Before everything that a list can have: nothing starts later, and no trace has this id. */
export const LIST_START: TimeCursor = { time: 2n ** 63n - 1n, id: Buffer.alloc(16, 0xff) };

/** Told apart from those before November 2026, which did not say what list they lead through. */
const VERSION = '2';
const CURSOR = new RegExp(`^${VERSION}\\.(\\d{1,19})\\.([0-9A-Fa-f]{32})\\.([0-9a-f]{16})$`);
const EARLIER_CURSOR = /^\d{1,19}\.[0-9A-Fa-f]{32}$/;

/** What says how much of a list is wanted, and not which. */
const NOT_FILTERS: ReadonlySet<string> = new Set(['cursor', 'limit', 'complete']);

/** A cursor as answers carry it: the place, and which list it is in. */
export function writeTimeCursor({ time, id }: TimeCursor, filters: object): string {
  const text = `${VERSION}.${time}.${Buffer.from(id).toString('hex')}.${digestOf(filters)}`;
  return Buffer.from(text).toString('base64url');
}

/** A cursor as it was given out for a list with these filters. Throws ReenactError `bad-request` where it was not. */
export function readTimeCursor(cursor: string, filters: object): TimeCursor {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, time, id, digest] = CURSOR.exec(text) ?? [];
  if (time === undefined || id === undefined || BigInt(time) >= 2n ** 63n) {
    if (EARLIER_CURSOR.test(text))
      throw refused(
        'The cursor was given out by an earlier version of the collector.',
        'Leave cursor out: the list begins again.',
      );
    throw refused(
      'The cursor is not one this collector gave out.',
      'Leave cursor out, or pass nextCursor of the previous answer unchanged.',
    );
  }
  if (digest !== digestOf(filters))
    throw refused(
      'The cursor was given out for other filters.',
      'Pass it with the same filters as the answer that it came with, or leave it out: the list begins again.',
    );
  return { time: BigInt(time), id: Buffer.from(id, 'hex') };
}

function refused(message: string, next: string): ReenactError {
  return new ReenactError('bad-request', message, { where: 'cursor', next });
}

function digestOf(filters: object): string {
  const named = Object.entries(filters).filter(([name, value]) => value !== undefined && !NOT_FILTERS.has(name));
  const text = JSON.stringify(named.sort(([one], [other]) => (one < other ? -1 : 1)));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

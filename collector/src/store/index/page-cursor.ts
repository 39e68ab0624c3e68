import { ReenactError } from '@reenact/trace-model/reenact-error';

/** The place in a list after which a page begins: a time in nanoseconds, and what tells rows of one time apart. */
export interface TimeCursor {
  readonly time: bigint;
  /** 16 bytes. */
  readonly id: Uint8Array;
}

/** Before everything that a list can have: nothing starts later, and no trace has this id. */
export const LIST_START: TimeCursor = { time: 2n ** 63n - 1n, id: Buffer.alloc(16, 0xff) };

/** A cursor as answers carry it. */
export function writeTimeCursor({ time, id }: TimeCursor): string {
  return Buffer.from(`${time}.${Buffer.from(id).toString('hex')}`).toString('base64url');
}

/** A cursor as it was given out. Throws ReenactError `bad-request` where it was not. */
export function readTimeCursor(cursor: string): TimeCursor {
  const [, time, id] = /^(\d{1,19})\.([0-9A-Fa-f]{32})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (time === undefined || id === undefined || BigInt(time) >= 2n ** 63n) {
    throw new ReenactError('bad-request', 'The cursor is not one this collector gave out.', {
      where: 'cursor',
      next: 'Leave cursor out, or pass nextCursor of the previous answer unchanged.',
    });
  }
  return { time: BigInt(time), id: Buffer.from(id, 'hex') };
}

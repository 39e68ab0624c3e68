import { ReenactError } from '@reenact/trace-model';
import { SharedRoom } from '../memory/shared-room.ts';

/** Room that one request holds; it only grows, and is given back at the end. */
export interface Room {
  /**
   * Makes the room at least this large. Throws ReenactError `store-busy` when that does not fit beside the others, and
   * `tenant-busy` when it is more than the share of its tenant. Once the room was given back, nothing is held for it any more.
   */
  atLeast(bytes: number): void;
  /** Throws what `atLeast` would throw now, and holds nothing for it. */
  needRoomFor(bytes: number): void;
  /** Gives all of it back; a second call changes nothing. */
  release(): void;
}

/**
 * Bounds the bytes of requests in work at one time, over all receivers, counted as they arrive. A request that alone
 * exceeds the bound is let in when nothing else is there, so that no size is refused for ever.
 *
 * Several tenants share the room. The first request of a tenant needs only room, no share.
 */
export class Admission {
  private readonly room: SharedRoom;
  private whyClosed: (() => ReenactError) | undefined;

  /** `isShared`: whether there is more than one tenant. */
  constructor(bytesMax: number, isShared = false) {
    this.room = new SharedRoom(bytesMax, isShared);
  }

  /** Bytes held now. */
  get bytesHeld(): number {
    return this.room.held;
  }

  /** Lets nobody in from now on, until it is opened. */
  close(why: () => ReenactError): void {
    this.whyClosed = why;
  }

  open(): void {
    this.whyClosed = undefined;
  }

  /** Throws ReenactError, why nobody is let in; whoever needs no room asks here alone. */
  needOpen(): void {
    if (this.whyClosed !== undefined) throw this.whyClosed();
  }

  /** Room for one request of a tenant, empty at first. Throws ReenactError where it is closed. */
  enter(tenant: string): Room {
    this.needOpen();
    let held = 0;
    let isReleased = false;
    return {
      atLeast: (bytes) => {
        // Nobody would give back what a request takes behind its end.
        if (isReleased || bytes <= held) return;
        this.needRoom(tenant, held, bytes);
        this.room.change(tenant, bytes - held);
        held = bytes;
      },
      needRoomFor: (bytes) => this.needRoom(tenant, held, bytes),
      release: () => {
        isReleased = true;
        this.room.change(tenant, -held);
        held = 0;
      },
    };
  }

  private needRoom(tenant: string, held: number, bytes: number): void {
    const others = this.room.held - held;
    if (others > 0 && others + bytes > this.room.max) throw tooMuchInWork();
    if (this.room.isBeyondShare(tenant, bytes - held, held)) throw moreThanItsShare(tenant);
  }
}

const next = 'Retry; exporters do so by themselves. Where it goes on, raise bytesInFlightMax of the collector.';

function tooMuchInWork(): ReenactError {
  const where = 'bytesInFlightMax';
  return new ReenactError('store-busy', 'Too many bytes of requests are in work.', { where, next, retryable: true });
}

function moreThanItsShare(tenant: string): ReenactError {
  return new ReenactError('tenant-busy', 'The tenant has more bytes of requests in work than its share.', {
    where: `tenant ${tenant}`,
    next,
    retryable: true,
  });
}

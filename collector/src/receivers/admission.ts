import { ReenactError } from '@reenact/trace-model';

/**
 * Bounds the bytes of requests in work at one time, over all receivers. A request that alone exceeds the bound is let
 * in when nothing else is there, so that no size is refused for ever.
 */
export class Admission {
  private readonly bytesMax: number;
  private bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Takes room for these bytes. Throws ReenactError `store-busy` when there is none. */
  enter(bytes: number): void {
    if (this.bytes > 0 && this.bytes + bytes > this.bytesMax) {
      throw new ReenactError('store-busy', 'Too many bytes of requests are in work.', {
        next: 'Retry; exporters do so by themselves.',
        retryable: true,
      });
    }
    this.bytes += bytes;
  }

  /** Gives the room back. */
  leave(bytes: number): void {
    this.bytes -= bytes;
  }
}

import { ReenactError } from '@reenact/trace-model';

/** Room that one request holds; it only grows, and is given back at the end. */
export interface Room {
  /** Makes the room at least this large. Throws ReenactError `store-busy` when that does not fit beside the others. */
  atLeast(bytes: number): void;
  /** Gives all of it back; a second call changes nothing. */
  release(): void;
}

/**
 * Bounds the bytes of requests in work at one time, over all receivers, counted as they arrive. A request that alone
 * exceeds the bound is let in when nothing else is there, so that no size is refused for ever.
 */
export class Admission {
  private readonly bytesMax: number;
  private bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Room for one request, empty at first. */
  enter(): Room {
    let held = 0;
    return {
      atLeast: (bytes) => {
        if (bytes <= held) return;
        const others = this.bytes - held;
        if (others > 0 && others + bytes > this.bytesMax) throw tooMuchInWork();
        this.bytes = others + bytes;
        held = bytes;
      },
      release: () => {
        this.bytes -= held;
        held = 0;
      },
    };
  }
}

function tooMuchInWork(): ReenactError {
  return new ReenactError('store-busy', 'Too many bytes of requests are in work.', {
    next: 'Retry; exporters do so by themselves.',
    retryable: true,
  });
}

import { disguised, type PatchSet } from '../patching/patch-set.ts';

type Read = (this: unknown, length: number) => void;

/** Tells the reads of `process.stdin`, which is recorded, from those of a stream that the program has opened over the same descriptor. */
export class OwnReads {
  /** Whether `process.stdin` asks the platform for more right now. */
  isUnderWay = false;

  /** `stream`: what `process.stdin` is. */
  watch(patches: PatchSet, stream: object): void {
    patches.precede<Read>(stream, '_read', (original) => {
      const own = this;
      const read: Read = function (length) {
        own.isUnderWay = true;
        try {
          Reflect.apply(original, this, [length]);
        } finally {
          own.isUnderWay = false;
        }
      };
      return disguised(read, original);
    });
  }
}

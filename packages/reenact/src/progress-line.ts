import type { ReplayProgress } from '@reenact/replay';
import { PROGRESS_AFTER_MS, PROGRESS_LINE_EVERY_MS } from './limits.ts';

/** Where progress is written. */
export interface ProgressStream {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** What `progressLine` gives. */
export interface ProgressLine {
  tell(progress: ReplayProgress): void;
  /** Takes away what stands on the terminal. */
  end(): void;
}

const eraseLine = '\u001b[2K';

/** Of crossings that are served whole nothing inside is met: the number recorded is the most there can be. */
function wordsOf({ met, recorded }: ReplayProgress, elapsedMs: number): string {
  return `replaying: ${met} of at most ${recorded} crossings, ${Math.round(elapsedMs / 1_000)} s`;
}

/**
 * Says how far a replay has come once it takes long: on a terminal one line that the next output writes over, elsewhere a
 * plain line now and then. `nowMs`: a clock that never runs backwards, milliseconds.
 */
export function progressLine(stream: ProgressStream, nowMs: () => number = () => performance.now()): ProgressLine {
  const startedAt = nowMs();
  let toldAt = startedAt;
  let hasLine = false;
  return {
    tell: (progress) => {
      const now = nowMs();
      if (now - startedAt < PROGRESS_AFTER_MS) return;
      const words = wordsOf(progress, now - startedAt);
      if (stream.isTTY === true) {
        hasLine = true;
        stream.write(`${eraseLine}${words}\r`);
      } else if (now - toldAt >= PROGRESS_LINE_EVERY_MS) {
        toldAt = now;
        stream.write(`${words}\n`);
      }
    },
    end: () => {
      if (hasLine) stream.write(eraseLine);
      hasLine = false;
    },
  };
}

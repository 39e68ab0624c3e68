import type { ReplayProgress } from '@reenact/replay';
import { PROGRESS_AFTER_MS, PROGRESS_LINE_EVERY_MS, PROGRESS_QUIET_AFTER_MS } from '../limits.ts';

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

/**
 * Of crossings that are served whole nothing inside is met: the number recorded is the most there can be. A program that does not end
 * by itself, as a service whose process is replayed, asks for nothing any more: whoever waits is told what there is to do.
 */
function wordsOf({ met, recorded }: ReplayProgress, elapsedMs: number, quietMs: number): string {
  const words = `replaying: ${met} of at most ${recorded} crossings, ${secondsOf(elapsedMs)}`;
  return quietMs < PROGRESS_QUIET_AFTER_MS
    ? words
    : `${words}; none for ${secondsOf(quietMs)}, Ctrl-C ends it and reports`;
}

function secondsOf(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

/**
 * Says how far a replay has come once it takes long: on a terminal one line that the next output writes over, elsewhere a
 * plain line now and then. `nowMs`: a clock that never runs backwards, milliseconds.
 */
export function progressLine(stream: ProgressStream, nowMs: () => number = () => performance.now()): ProgressLine {
  const startedAt = nowMs();
  let toldAt = startedAt;
  let hasLine = false;
  let lastMet = { count: 0, at: startedAt };
  return {
    tell: (progress) => {
      const now = nowMs();
      if (progress.met !== lastMet.count) lastMet = { count: progress.met, at: now };
      if (now - startedAt < PROGRESS_AFTER_MS) return;
      const words = wordsOf(progress, now - startedAt, now - lastMet.at);
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

import type { ReplayProgress } from '@reenact/replay';
import { PROGRESS_AFTER_MS, PROGRESS_LINE_EVERY_MS, PROGRESS_QUIET_AFTER_MS } from '../limits.ts';

/** Where progress is written. */
export interface ProgressStream {
  readonly isTTY?: boolean | undefined;
  /** Columns of the terminal. */
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** What `progressLine` gives. */
export interface ProgressLine {
  tell(progress: ReplayProgress): void;
  /** Takes away what stands on the terminal. */
  end(): void;
}

const COLUMNS_DEFAULT = 80;

/**
 * Writes at the end of the line that the cursor is in, which stays where it is: a short line of the program's, also one that it has not ended, is
 * neither erased nor mixed with this. DECSC, CHA (ECMA-48 8.3.9) and DECRC.
 */
function atLineEnd(words: string, columns: number): string {
  return `\u001b7\u001b[${columns - words.length}G${words}\u001b8`;
}

/**
 * Of crossings that are served whole nothing inside is met: the number recorded is the most there can be. A program that does not end
 * by itself, as a service whose process is replayed, asks for nothing any more: whoever waits is told what there is to do.
 */
function wordsOf({ met, recorded }: ReplayProgress, elapsedMs: number, quietMs: number): string {
  const words = `replaying: ${met} of at most ${recorded} crossings, ${secondsOf(elapsedMs)}`;
  return quietMs < PROGRESS_QUIET_AFTER_MS ? words : `${words}; none for ${secondsOf(quietMs)}, Ctrl-C ends it`;
}

function secondsOf(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

/**
 * Says how far a replay has come once it takes long: on a terminal at the right of the line that the program writes next, elsewhere on a
 * plain line now and then. `nowMs`: a clock that never runs backwards, milliseconds.
 */
export function progressLine(stream: ProgressStream, nowMs: () => number = () => performance.now()): ProgressLine {
  const startedAt = nowMs();
  let toldAt = startedAt;
  // Characters that may still stand there.
  let room = 0;
  const write = (words: string): void => {
    const columns = stream.columns ?? COLUMNS_DEFAULT;
    const shown = words.slice(0, columns - 1);
    stream.write(atLineEnd(shown.padStart(Math.min(room, columns - 1)), columns));
    room = shown.length;
  };
  let lastMet = { count: 0, at: startedAt };
  return {
    tell: (progress) => {
      const now = nowMs();
      if (progress.met !== lastMet.count) lastMet = { count: progress.met, at: now };
      if (now - startedAt < PROGRESS_AFTER_MS) return;
      const words = wordsOf(progress, now - startedAt, now - lastMet.at);
      if (stream.isTTY === true) {
        write(words);
      } else if (now - toldAt >= PROGRESS_LINE_EVERY_MS) {
        toldAt = now;
        stream.write(`${words}\n`);
      }
    },
    end: () => {
      if (room > 0) write('');
    },
  };
}

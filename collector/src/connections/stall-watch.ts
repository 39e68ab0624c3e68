import { ReenactError } from '@reenact/trace-model';

/** How long a request may take to come. */
export interface RequestTimes {
  /** How long nothing may come of it before its end. */
  readonly stallMs: number;
  /** How long all of it may take: one that comes byte by byte holds its room as long. */
  readonly timeMaxMs: number;
}

/** Notices that nothing comes any more of a request whose end has not come, or that it takes too long. */
export interface StallWatch {
  /** Something came. */
  readonly moved: () => void;
  /** All of it came, or nobody waits for it any more. */
  readonly stop: () => void;
}

/** Calls `onStalled` once where nothing moved for so long, or where the end has not come in time. */
export function watchStall({ stallMs, timeMaxMs }: RequestTimes, onStalled: (error: ReenactError) => void): StallWatch {
  let isStalled = false;
  let isOver = false;
  const end = (message: string): void => {
    if (isOver) return;
    stop();
    onStalled(stalled(message));
  };
  // Where the process itself was held up, what has come meanwhile is read only after this.
  const timer = setTimeout(() => {
    isStalled = true;
    setImmediate(() => {
      if (isStalled) end(`The rest of the request did not come for ${stallMs} ms.`);
    });
  }, stallMs).unref();
  const whole = setTimeout(() => {
    setImmediate(() => end(`The request did not come as a whole within ${timeMaxMs} ms.`));
  }, timeMaxMs).unref();
  const stop = (): void => {
    isOver = true;
    clearTimeout(timer);
    clearTimeout(whole);
  };
  return {
    moved: () => {
      if (isOver) return;
      isStalled = false;
      timer.refresh();
    },
    stop,
  };
}

function stalled(message: string): ReenactError {
  const next = 'Send it again as a whole; exporters do so by themselves.';
  return new ReenactError('store-busy', message, { next, retryable: true });
}

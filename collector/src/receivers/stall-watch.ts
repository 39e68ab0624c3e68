import { ReenactError } from '@reenact/trace-model';

/** Notices that nothing comes any more of a request whose end has not come. */
export interface StallWatch {
  /** Something came. */
  readonly moved: () => void;
  /** All of it came, or nobody waits for it any more. */
  readonly stop: () => void;
}

/** Calls `onStalled` once where nothing moved for so long. */
export function watchStall(stallMs: number, onStalled: (error: ReenactError) => void): StallWatch {
  let isStalled = false;
  const timer = setTimeout(() => {
    isStalled = true;
    // Where the process itself was held up, what has come meanwhile is read only after this.
    setImmediate(() => {
      if (isStalled) onStalled(stalled(stallMs));
    });
  }, stallMs).unref();
  return {
    moved: () => {
      isStalled = false;
      timer.refresh();
    },
    stop: () => {
      isStalled = false;
      clearTimeout(timer);
    },
  };
}

function stalled(stallMs: number): ReenactError {
  return new ReenactError('store-busy', `The rest of the request did not come for ${stallMs} ms.`, {
    next: 'Send it again as a whole; exporters do so by themselves.',
    retryable: true,
  });
}

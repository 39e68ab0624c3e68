import { FLUSHES_AT_END_MAX } from '../limits.ts';

/** What of a recording processor is needed when the work of its process is over. */
export interface FlushedAtEnd {
  /** Whether anything waits to be exported that is worth waiting for. */
  wantsFlush(): boolean;
  /** Gives how many spans could not be delivered. */
  flush(): Promise<number>;
}

/** How often each was flushed since it came. */
const processors = new Map<FlushedAtEnd, number>();

function ranOut(): void {
  for (const [processor, flushes] of processors) {
    if (!processor.wantsFlush()) continue;
    processors.set(processor, flushes + 1);
    void processor.flush().then((left) => {
      // Nobody is to wait for a receiver a second time that was just tried in vain. And each flush has the platform say once more that there is no
      // work: a listener of the host that records something each time would be asked for ever.
      if (left > 0 || flushes + 1 >= FLUSHES_AT_END_MAX) leave(processor);
    });
  }
}

function leave(processor: FlushedAtEnd): void {
  processors.delete(processor);
  if (processors.size === 0) process.off('beforeExit', ranOut);
}

/**
 * Has what waits in a processor exported when its process has run out of work, before it ends: a program that never shuts its SDK down would
 * else take the last half second with it, and with a program that ends sooner than that the whole run (docs/adr/0008). Not where the process
 * ends otherwise. Gives how to take that back.
 */
export function flushAtEnd(processor: FlushedAtEnd): () => void {
  if (processors.size === 0) process.on('beforeExit', ranOut);
  processors.set(processor, 0);
  return () => leave(processor);
}

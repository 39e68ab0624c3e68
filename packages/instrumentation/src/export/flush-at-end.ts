import { atEndOfWork } from './end-of-work.ts';

/** What of a recording processor is needed when the work of its process is over. */
export interface FlushedAtEnd {
  /** Whether anything waits to be exported that is worth waiting for. */
  wantsFlush(): boolean;
  /** Gives how many spans could not be delivered. */
  flush(): Promise<number>;
}

/**
 * Has what waits in a processor exported when its process has run out of work, before it ends: a program that never shuts its SDK down would
 * else take the last half second with it, and with a program that ends sooner than that the whole run (docs/adr/0008). Not where the process
 * ends otherwise. Gives how to take that back.
 */
export function flushAtEnd(processor: FlushedAtEnd): () => void {
  return atEndOfWork(() => {
    if (processor.wantsFlush()) void processor.flush();
  });
}

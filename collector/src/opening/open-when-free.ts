import { setTimeout as sleep } from 'node:timers/promises';
import { isReenactError } from '@reenact/trace-model';
import { STORE_REQUEST_POLL_MS } from '../limits.ts';
import { readHolder } from '../store/holder-note.ts';
import type { TellOpening } from '../store/opening-step.ts';
import { DIRECTORY_IN_USE } from '../store/store-error.ts';

/** What waiting is done with. */
export interface FreeDirectoryOptions {
  /** Told what is waited for. */
  readonly tell: TellOpening;
  /** Ends the waiting: it is tried once more, and what that throws is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** How often it is tried, milliseconds. */
  readonly pollMs?: number;
}

/** How often a directory is found in use, and by no command, before that is believed: a command says so a moment after it has the directory. */
const TRIES_WITHOUT_HOLDER = 2;

/**
 * Opens what a data directory holds, once no command (`reenact store …`) and no collector that stops has the directory any more: these end by themselves. Throws what
 * `open` throws, also where a collector has it that goes on.
 */
export async function openWhenFree<Opened>(
  dataDirectory: string,
  open: () => Promise<Opened>,
  { tell, signal, pollMs = STORE_REQUEST_POLL_MS }: FreeDirectoryOptions,
): Promise<Opened> {
  for (let triesLeft = TRIES_WITHOUT_HOLDER; ; ) {
    try {
      return await open();
    } catch (thrown) {
      if (!isReenactError(thrown) || thrown.message !== DIRECTORY_IN_USE || signal?.aborted === true) throw thrown;
      const holder = readHolder(dataDirectory);
      triesLeft = holder === undefined ? triesLeft - 1 : TRIES_WITHOUT_HOLDER;
      if (triesLeft === 0) throw thrown;
      if (holder !== undefined)
        tell({ what: `waiting for \`${holder}\`, which has the data directory`, done: 0, total: 0 });
      await sleep(pollMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    }
  }
}

import { type Crossing, crossingLabel, toReenactError } from '@reenact/trace-model';
import type { EntryOrder } from '../config/entry-order.ts';
import { loadEntry } from '../config/load-entry.ts';
import type { EventSink } from '../events/event-sink.ts';
import { callEntry } from './call-entry.ts';
import { recordedInput } from './recorded-input.ts';

/** A process that is to enter a replay by calling a function of the user. */
export interface JoinedEntry {
  /**
   * Loads the function and makes its recorded input. Gives how to call it, or undefined where either failed: that is in the
   * report then, and no code of the agent may run any more. Never rejects.
   */
  prepare(): Promise<(() => Promise<void>) | undefined>;
}

/** What a process needs to enter a replay. */
export interface EntryRequest {
  readonly order: EntryOrder;
  readonly root: Crossing;
  readonly sink: EventSink;
  /** Told of the function right before it is called. */
  readonly entering?: ((fn: object) => void) | undefined;
}

async function prepareCall({ order, root, sink, entering }: EntryRequest): Promise<() => Promise<void>> {
  const entry = await loadEntry(order, crossingLabel(root));
  const { parameters, notes } = recordedInput(root);
  for (const text of notes) sink.write({ type: 'note', text, unverified: false });
  return async () => {
    entering?.(entry);
    try {
      await callEntry(entry, root, parameters);
    } catch {
      // What the function throws is its outcome; its own boundary has told the replay.
    }
  };
}

/** Enters a replay by a function. */
export function joinEntry(request: EntryRequest): JoinedEntry {
  return {
    prepare: async () => {
      try {
        return await prepareCall(request);
      } catch (thrown) {
        const { code, message, where, next } = toReenactError(thrown, 'bad-config');
        request.sink.write({
          type: 'failed',
          code,
          message,
          ...(where === undefined ? {} : { where }),
          ...(next === undefined ? {} : { next }),
        });
        return undefined;
      }
    },
  };
}

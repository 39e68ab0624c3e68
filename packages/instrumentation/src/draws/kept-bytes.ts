import { processState } from '@reenact/trace-model';

const callbacks = processState('kept-bytes.1', () => new WeakSet<object>());

/**
 * Says of a callback that the bytes it is given are not to be kept: whoever made it gives others in their place, and has kept those. The call itself may come
 * later, where its work outside JavaScript waits for its turn. Returns it.
 */
export function keptAlready<Callback extends object>(callback: Callback): Callback {
  callbacks.add(callback);
  return callback;
}

/** Whether that was said of it. */
export function isKeptAlready(callback: object): boolean {
  return callbacks.has(callback);
}
